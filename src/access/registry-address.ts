import type { Services } from './services.ts';

/** The host, with its port, that names of images begin with; undefined where there is no registry. */
export function registryHost({ config, externalUrl }: Pick<Services, 'config' | 'externalUrl'>): string | undefined {
  return config.registry === 'off' ? undefined : new URL(config.registryUrl ?? externalUrl).host;
}

/** What the names of a project's images begin with: container clients take small letters alone. */
export function imagePrefix(services: Pick<Services, 'config' | 'externalUrl'>, fullPath: string): string | undefined {
  const host = registryHost(services);
  return host === undefined ? undefined : `${host}/${fullPath.toLowerCase()}`;
}

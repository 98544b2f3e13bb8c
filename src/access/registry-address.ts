import type { Services } from './services.ts';

/** The host and port that image names begin with; undefined if the registry is disabled. */
export function registryHost({ config, externalUrl }: Pick<Services, 'config' | 'externalUrl'>): string | undefined {
  return config.registry === 'off' ? undefined : new URL(config.registryUrl ?? externalUrl).host;
}

/** Whether the dependency proxy is enabled. */
export const hasProxy = ({ config }: Pick<Services, 'config'>) =>
  config.registry === 'on' && config.dependencyProxy === 'on';

/** The host and port of the dependency proxy; undefined if it is disabled. */
export function proxyServer({ config, externalUrl }: Pick<Services, 'config' | 'externalUrl'>): string | undefined {
  if (!hasProxy({ config })) return undefined;
  const { protocol, hostname, port } = new URL(externalUrl);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/** The part of proxied image names after the host. */
export const proxiedPath = (groupPath: string) => `${groupPath.toLowerCase()}/dependency_proxy/containers`;

/** The prefix of a project's image names, in lower case as container clients require. */
export function imagePrefix(services: Pick<Services, 'config' | 'externalUrl'>, fullPath: string): string | undefined {
  const host = registryHost(services);
  return host === undefined ? undefined : `${host}/${fullPath.toLowerCase()}`;
}

import { isAbsolute, join, relative } from 'node:path';
import type { Config } from '../src/config/config.ts';
import type { RunningServer } from '../src/server.ts';

/** Returns the startup message: the URL of the server and, on the first start, how to sign in. */
export function welcome({ url, firstStart }: Pick<RunningServer, 'url' | 'firstStart'>, config: Config): string {
  const lines = [`Hearth is ready at ${url}`];
  const { passwordFile } = firstStart;
  if (passwordFile !== undefined) lines.push(`The administrator is root; its password is in ${shorter(passwordFile)}`);
  if (firstStart.created) lines.push('', 'Try next:', ...nextSteps(url, config).map((step) => `  ${step}`));
  return lines.join('\n');
}

function nextSteps(url: string, config: Config): string[] {
  const hearth = shorter(join(import.meta.dirname, 'hearth'));
  const data = shorter(config.data) === 'data' ? '' : ` --data ${shorter(config.data)}`;
  return [
    `TOKEN=$(${hearth} admin create-token --username root --name first${data})`,
    `curl --header "PRIVATE-TOKEN: $TOKEN" ${url}/api/v4/user`,
    `curl --header "PRIVATE-TOKEN: $TOKEN" --data name=hello ${url}/api/v4/projects`,
  ];
}

function shorter(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') || isAbsolute(near) ? path : near;
}

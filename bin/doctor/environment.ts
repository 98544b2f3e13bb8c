import { settings } from '../../src/config/config.ts';
import { nearest } from '../../src/config/nearest.ts';
import { type Finding, ok, warning } from './finding.ts';

/** Reports variables that look like settings but are not: most likely typos. */
export function checkEnvironment(env: NodeJS.ProcessEnv): Finding {
  const known: string[] = Object.values(settings).flatMap(({ env: name }) => name ?? []);
  const suspects = Object.keys(env).flatMap((name) => {
    if (!name.startsWith('HEARTH_') || known.includes(name)) return [];
    const close = nearest(name, known);
    return close === undefined ? [] : [`${name} (${close}?)`];
  });
  if (suspects.length === 0) return ok('settings', 'no misspelt variables');
  return warning(
    'settings',
    `not read: ${suspects.join(', ')}`,
    'docs/configuration.md has the names of all settings.',
  );
}

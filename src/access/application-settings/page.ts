import type { Config } from '../../config/config.ts';
import { settingRules } from './list.ts';

function show(value: unknown): string {
  return value === null ? '`null`' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

/** The chapter on what administrators change while the server runs, with the defaults of a server that is told nothing. */
export function applicationSettingsChapter(config: Config): string {
  const rows = Object.entries(settingRules).map(
    ([name, setting]) => `| \`${name}\` | ${show(setting.fallback(config))} | ${setting.help} |`,
  );
  return `## Application settings

Administrators read and change these while the server runs, by \`GET\` and \`PUT /api/v4/application/settings\`. They
are kept in the database and hold for all its servers: at once on SQLite and on the server that was told, within five
seconds on others that share a PostgreSQL. What is set here wins over the flag for the same thing.

The limits of single endpoints are off (\`0\`) unless they are set, or unless \`HEARTH_ENDPOINT_LIMITS\` asks for the
documented numbers: 400 in a minute for a project, 300 in ten minutes for a user, 30 searches in a minute and so on.
Whoever asks more often is answered 429 with \`Retry-After\`; the throttles also tell by \`RateLimit-*\` headers, in every
answer, where the caller stands. Each server process counts for itself.

| setting | default | |
|---|---|---|
${rows.join('\n')}
`;
}

import type { Config } from '../../config/config.ts';
import { settingRules } from './list.ts';

function show(value: unknown): string {
  return value === null ? '`null`' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

/** The documentation chapter on application settings, with the defaults of an unconfigured server. */
export function applicationSettingsChapter(config: Config): string {
  const rows = Object.entries(settingRules).map(
    ([name, setting]) => `| \`${name}\` | ${show(setting.fallback(config))} | ${setting.help} |`,
  );
  return `## Application settings

Administrators read and change these at runtime with \`GET\` and \`PUT /api/v4/application/settings\`. They are stored in the
database and apply to all servers that share it, at once. They take precedence over the flag for the same thing.

The limits of single endpoints are off (\`0\`) unless set, or unless \`HEARTH_ENDPOINT_LIMITS\` enables the documented values:
400 a minute for a project, 300 in ten minutes for a user, 30 searches a minute and so on. Requests above a limit get a 429
with \`Retry-After\`; the throttles also send \`RateLimit-*\` headers with every response. Each server process counts for itself.

| setting | default | |
|---|---|---|
${rows.join('\n')}
`;
}

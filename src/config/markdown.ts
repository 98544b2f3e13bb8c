import { flagOf } from './read.ts';
import type { Setting, Settings } from './setting.ts';

/** The settings page: one chapter for each group of settings, followed by further chapters. */
export function settingsPage(chapters: Record<string, Settings>, ...more: readonly string[]): string {
  const tables = Object.entries(chapters).map(([title, table]) => `## ${title}\n\n${settingsTable(table)}\n`);
  return `${[introduction, ...tables, spellings, ...more].join('\n')}`;
}

function settingsTable(table: Settings): string {
  const rows = Object.entries(table).map(([name, setting]) => row(name, setting));
  return ['| variable | flag | value | default | |', '|---|---|---|---|---|', ...rows].join('\n');
}

function row(name: string, setting: Setting<unknown>): string {
  const fallback = setting.secret ? '' : setting.show(setting.default);
  const cells = [
    `\`${setting.env}\``,
    `\`${flagOf(name)}\``,
    setting.kind,
    fallback === '' ? 'none' : `\`${fallback}\``,
    setting.help,
  ];
  return `| ${cells.join(' | ')} |`;
}

const introduction = `# Configuration

<!-- Written by \`npm run docs\` from src/config.ts; edit that. -->

Every setting is an environment variable and a flag of \`hearth serve\`; the flag takes precedence. With npm, flags come
after two dashes: \`npm start -- --port 9000 --data /srv/hearth\`. Hearth checks all settings before it starts and reports all
mistakes at once. Flags are visible in the machine's process list, so pass secrets as environment variables or in files: a
variable with the suffix \`_FILE\` names a file with the value, such as \`HEARTH_OIDC_CLIENT_SECRET_FILE=/run/secrets/oidc\`
(a trailing newline is ignored). In JSON files of further directories and providers, use \`password_file\` and
\`client_secret_file\`. If both are set, the variable itself takes precedence.
`;

const spellings = `## Value formats

| type | format |
|---|---|
| boolean | \`true\`, \`1\`, \`yes\`, \`on\` or \`false\`, \`0\`, \`no\`, \`off\`; as a flag \`--name\` or \`--no-name\` |
| duration | \`500ms\`, \`30s\`, \`10m\`, \`2h\`, \`30d\`; a bare number counts seconds |
| bytes | \`500KiB\`, \`10MiB\`, \`2GiB\`; a bare number counts bytes |
| rate | count per period: \`5/1m\`, \`3/30s\`; \`0\` for no limit |
| list | items separated by commas |
`;

import { flagOf } from './read.ts';
import type { Setting, Settings } from './setting.ts';

/** The chapters of settings as a page for people who run the server, and whatever else it is to tell. */
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

Every setting is an environment variable and a flag of \`hearth serve\`; the flag wins. With npm, flags come after two
dashes: \`npm start -- --port 9000 --data /srv/hearth\`. Hearth checks all of them before it starts and lists every mistake
at once. Flags show up in the process list of the machine, so give secrets by environment variable,
or by a file: a variable of the same name that ends in \`_FILE\` names one that holds it, such as
\`HEARTH_OIDC_CLIENT_SECRET_FILE=/run/secrets/oidc\`; one newline at its end is no part of it. In files of further directories and providers the
same is \`password_file\` and \`client_secret_file\`. The variable itself wins where both are set.
`;

const spellings = `## How values are written

| value | spelling |
|---|---|
| boolean | \`true\`, \`1\`, \`yes\`, \`on\` or \`false\`, \`0\`, \`no\`, \`off\`; as a flag \`--name\` or \`--no-name\` |
| duration | \`500ms\`, \`30s\`, \`10m\`, \`2h\`, \`30d\`; a bare number counts seconds |
| bytes | \`500KiB\`, \`10MiB\`, \`2GiB\`; a bare number counts bytes |
| rate | so many in a period: \`5/1m\`, \`3/30s\`; \`0\` for no limit |
| list | items separated by commas |
`;

import { chapters } from '../src/config/config.ts';
import { flagOf } from '../src/config/read.ts';
import type { Setting, Settings } from '../src/config/setting.ts';
import type { Command } from './command.ts';

/** Returns the output of `hearth --help`. */
export function generalHelp(commands: Record<string, { summary: string }>): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => row(name, summary, 26));
  return [
    'Hearth, a self-hosted code forge.',
    '',
    'Usage: hearth [command] [flags]',
    '',
    ...lines,
    '',
    'hearth COMMAND --help explains each command; hearth --version prints the version.',
  ].join('\n');
}

/** Returns the output of `hearth COMMAND --help`. */
export function commandHelp(name: string, command: Command): string {
  const parts = [`Usage: hearth ${name} [flags]`, command.about];
  if (Object.keys(command.flags).length > 0) parts.push(table('Flags', command.flags));
  parts.push(`Examples:\n${command.examples.map((line) => `  ${line}`).join('\n')}`);
  if (name === 'serve') parts.push(...Object.entries(chapters).map(([title, settings]) => table(title, settings)));
  else parts.push('Every setting of the server, such as --data, is a flag here too; hearth serve --help lists them.');
  return parts.join('\n\n');
}

function table(title: string, settings: Settings): string {
  const rows = Object.entries(settings).map(([name, setting]) => row(flagOf(name), described(setting), 24));
  return `${title}:\n${rows.join('\n')}`;
}

function described(setting: Setting<unknown>): string {
  const fallback = setting.secret ? '' : setting.show(setting.default);
  const usual = fallback === '' || setting.kind === 'boolean' ? '' : ` [${fallback}]`;
  return `${setting.help}${usual}${setting.env === undefined ? '' : ` (${setting.env})`}`;
}

function row(name: string, text: string, width: number): string {
  return `  ${name.padEnd(width)}${text}`;
}

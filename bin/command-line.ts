import { readFileSync } from 'node:fs';
import { ConfigError, readConfig } from '../src/config/config.ts';
import { nearest } from '../src/config/nearest.ts';
import { type Command, CommandError } from './command.ts';
import { commandHelp, generalHelp } from './help.ts';

interface Entry {
  summary: string;
  load(): Promise<{ command: Command }>;
}

/** All commands. Each is loaded only when called, so that `--help` need not load a server. */
export const commands: Record<string, Entry> = {
  serve: { summary: 'Run the server (the default command).', load: () => import('./commands/serve.ts') },
  runner: { summary: 'Run CI/CD jobs of a server.', load: () => import('./commands/runner.ts') },
  migrate: { summary: 'Migrate the database and exit.', load: () => import('./commands/migrate.ts') },
  backup: {
    summary: 'Back up everything, even while the server runs.',
    load: () => import('./commands/backup.ts'),
  },
  restore: { summary: 'Restore a backup, to either database.', load: () => import('./commands/restore.ts') },
  'admin create-user': { summary: 'Create an account.', load: () => import('./commands/create-user.ts') },
  'admin create-token': { summary: 'Create an access token.', load: () => import('./commands/create-token.ts') },
  'admin reset-password': {
    summary: 'Reset the password of an account.',
    load: () => import('./commands/reset-password.ts'),
  },
  'admin disable-two-factor': {
    summary: 'Disable two-factor authentication of an account.',
    load: () => import('./commands/disable-two-factor.ts'),
  },
  'mail receive': {
    summary: 'Receive an email from a mail server on standard input.',
    load: () => import('./commands/receive-mail.ts'),
  },
  doctor: { summary: 'Check the environment and suggest fixes.', load: () => import('./commands/doctor.ts') },
};

/** Runs one command and returns the exit code: 0 done, 1 failed, 2 usage error. */
export async function runCommandLine(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  try {
    return await dispatch(argv, env);
  } catch (error) {
    if (error instanceof ConfigError) return printError(`${error.message}\nRun with --help for a list.`, 2);
    if (error instanceof CommandError) return printError(error.message, error.exitCode);
    return printError(error instanceof Error ? (error.stack ?? error.message) : String(error), 1);
  }
}

async function dispatch(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { name, rest } = split(argv);
  const asksForHelp = rest.some((word) => word === '--help' || word === '-h');
  if (name === undefined && rest[0] === '--version') return print(`hearth ${version()}`);
  if (argv[0] === 'help' || (name === undefined && asksForHelp)) return print(generalHelp(commands));
  const entry = commands[name ?? 'serve'];
  if (entry === undefined) throw unknownCommand(`${name}`);
  const { command } = await entry.load();
  if (asksForHelp) return print(commandHelp(`${name}`, command));
  const { config, sources } = readConfig(command.flags, rest, env);
  return command.run({ config, flags: config, sources });
}

function split(argv: readonly string[]): { name: string | undefined; rest: readonly string[] } {
  const [first, second] = argv;
  if (first === undefined || first.startsWith('-')) return { name: undefined, rest: argv };
  const grouped = Object.keys(commands).some((name) => name.startsWith(`${first} `));
  if (!grouped || second === undefined || second.startsWith('-')) return { name: first, rest: argv.slice(1) };
  return { name: `${first} ${second}`, rest: argv.slice(2) };
}

function unknownCommand(name: string): CommandError {
  const group = Object.keys(commands).filter((known) => known.startsWith(`${name} `));
  if (group.length > 0) return new CommandError(`hearth ${name}: missing subcommand: ${group.join(', ')}`, 2);
  const close = nearest(name, Object.keys(commands));
  const hint = close === undefined ? '; hearth --help lists them' : `; did you mean ${close}?`;
  return new CommandError(`hearth ${name}: no such command${hint}`, 2);
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function print(text: string): number {
  console.log(text);
  return 0;
}

function printError(text: string, exitCode: number): number {
  console.error(text);
  return exitCode;
}

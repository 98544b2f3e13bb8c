import { adminScopes, tokenScopes } from '../../src/access/credentials/scopes.ts';
import { BadValue, list, text } from '../../src/config/setting.ts';
import { digest, randomToken } from '../../src/platform/secrets/tokens.ts';
import { administer, existingUser, requireFlags } from '../accounts.ts';
import { CommandError, defineCommand } from '../command.ts';

/** `hearth admin create-token` */
export const command = defineCommand({
  about: 'Creates a personal access token and prints it. Only its digest is stored, so it cannot be shown again.',
  examples: [
    'hearth admin create-token --username root --name first',
    'TOKEN=$(hearth admin create-token --username jane --name ci --scopes read_api --expires-at 2030-01-01)',
  ],
  flags: {
    username: text(undefined, undefined, 'Owner of the token.'),
    name: text(undefined, undefined, 'Name of the token.'),
    scopes: list(undefined, ['api'], 'Scopes of the token.', scope),
    expiresAt: text(undefined, undefined, 'Expiry date, as YYYY-MM-DD; none by default.', day),
  },
  async run({ config, flags }) {
    const { username, name } = requireFlags({ username: flags.username, name: flags.name });
    return administer(config, async (services) => {
      const { insertToken } = await import('../../src/people/tokens/public.ts');
      const user = await existingUser(services, username);
      const beyond = flags.scopes.filter((requested) => user.admin !== 1 && adminScopes.has(requested));
      if (beyond.length > 0) throw new CommandError(`only an administrator may have ${beyond.join(', ')}`);
      const token = `glpat-${randomToken()}`;
      const expiresAt = flags.expiresAt === undefined ? null : Date.parse(flags.expiresAt);
      const row = { userId: user.id, name, digest: digest(token), scopes: flags.scopes, expiresAt };
      await services.db.write((trx) => insertToken(services, trx, row));
      console.log(token);
    });
  },
});

function scope(value: string): string {
  if (tokenScopes.some((known) => known === value)) return value;
  throw new BadValue(`expected some of ${tokenScopes.join(', ')}`);
}

function day(value: string): string {
  const date = /^\d{4}-\d\d-\d\d$/.test(value) ? new Date(value) : new Date(Number.NaN);
  // JavaScript would silently turn 30 February into 2 March.
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== value)
    throw new BadValue('expected a day such as 2030-01-31');
  if (date.getTime() <= Date.now()) throw new BadValue('expected a day in the future');
  return value;
}

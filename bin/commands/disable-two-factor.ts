import { text } from '../../src/config/setting.ts';
import { administer, existingUser, requireFlags } from '../accounts.ts';
import { CommandError, defineCommand } from '../command.ts';

/** `hearth admin disable-two-factor` */
export const command = defineCommand({
  about:
    'Disables two-factor authentication of an account, for users who have lost their device and their recovery codes.',
  examples: ['hearth admin disable-two-factor --username root'],
  flags: { username: text(undefined, undefined, 'The account.') },
  async run({ config, flags }) {
    const { username } = requireFlags({ username: flags.username });
    return administer(config, async (services) => {
      const { disableFactorByCommand } = await import('../../src/people/second-factor/public.ts');
      const user = await existingUser(services, username);
      if (!(await disableFactorByCommand(services, user.id)))
        throw new CommandError(`${username} has no second factor`);
      console.error(`Disabled two-factor authentication of ${username}`);
    });
  },
});

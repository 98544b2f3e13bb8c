import { text, toggle } from '../../src/config/setting.ts';
import { administer, choosePassword, existingUser, requireFlags } from '../accounts.ts';
import { defineCommand } from '../command.ts';

/** `hearth admin reset-password` */
export const command = defineCommand({
  about: 'Sets a new password, prints it unless one was given, and unlocks the account. Its tokens stay valid.',
  examples: [
    'hearth admin reset-password --username root',
    'hearth admin reset-password --username root --password-stdin < secret.txt',
  ],
  flags: {
    username: text(undefined, undefined, 'The account.'),
    passwordStdin: toggle(undefined, 'Read the password from standard input instead of generating one.'),
  },
  async run({ config, flags }) {
    const { username } = requireFlags({ username: flags.username });
    const { password, generated } = await choosePassword(flags.passwordStdin);
    return administer(config, async (services) => {
      const { setPassword } = await import('../../src/people/users/public.ts');
      await setPassword(services, await existingUser(services, username), password);
      console.error(`Changed the password of ${username}${generated ? '; it is now:' : ''}`);
      if (generated) console.log(password);
    });
  },
});

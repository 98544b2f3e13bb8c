import { text, toggle } from '../../src/config/setting.ts';
import { administer, choosePassword, requireFlags } from '../accounts.ts';
import { defineCommand } from '../command.ts';

/** `hearth admin create-user` */
export const command = defineCommand({
  about: 'Creates an account, and prints its password unless one was given. Works while the server runs.',
  examples: [
    'hearth admin create-user --username jane --email jane@example.com',
    'hearth admin create-user --username ops --email ops@example.com --admin --password-stdin < secret.txt',
  ],
  flags: {
    username: text(undefined, undefined, 'Username, which is also the path of personal projects.'),
    email: text(undefined, undefined, 'Email address; it counts as confirmed.'),
    name: text(undefined, undefined, 'Display name; the username by default.'),
    admin: toggle(undefined, 'Create an administrator.'),
    passwordStdin: toggle(undefined, 'Read the password from standard input instead of generating one.'),
  },
  async run({ config, flags }) {
    const { username, email } = requireFlags({ username: flags.username, email: flags.email });
    const { password, generated } = await choosePassword(flags.passwordStdin);
    return administer(config, async (services) => {
      const { createUserAsAdmin } = await import('../../src/people/users/public.ts');
      const fields = { username, email, name: flags.name ?? username, admin: flags.admin };
      const user = await createUserAsAdmin(services, { ...fields, password, skip_confirmation: true });
      console.error(`Created ${user.username}, number ${user.id}${generated ? '; the password:' : ''}`);
      if (generated) console.log(password);
    });
  },
});

import type { ServerChannel } from 'ssh2';
import type { Services } from '../../access/services.ts';
import { renewCodesOf } from '../../people/second-factor/public.ts';
import { GitRefusal } from '../transport/public.ts';
import type { KeyHolder } from './identify.ts';

/** What a command about the account of whoever holds a key is given. */
export interface AccountCommand {
  readonly services: Services;
  readonly holder: KeyHolder;
  readonly channel: ServerChannel;
}

const longestAnswer = 100;
const patience = 60_000;

/** One line of whoever is at the other end; what they sent so far, where no line comes of it. */
function readLine(channel: ServerChannel): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const done = () => {
      clearTimeout(timer);
      channel.off('data', take).off('end', done).off('close', done);
      resolve(text.trim());
    };
    const take = (bytes: Buffer) => {
      text += bytes.toString('latin1');
      if (text.length > longestAnswer || /[\r\n]/.test(text)) done();
    };
    const timer = setTimeout(done, patience);
    channel.on('data', take).on('end', done).on('close', done);
  });
}

/** `2fa_recovery_codes`: for somebody who has lost their app and what they wrote down, and has their key. */
export async function makeRecoveryCodes({ services, holder, channel }: AccountCommand): Promise<number> {
  const { user } = holder.actor;
  if (!user) throw GitRefusal.forbidden('A deploy key is nobody: it has no recovery codes.');
  // Whoever signs certificates of a group is not trusted with more than the group.
  if (holder.within) throw GitRefusal.forbidden('A certificate of a group makes no recovery codes.');
  if (user.two_factor_enabled === 0) {
    throw GitRefusal.forbidden('Two-factor authentication is not enabled for your user account.');
  }
  channel.write('Make new two-factor recovery codes?\nThose that you have will be worth nothing. (yes/no)\n');
  if ((await readLine(channel)).toLowerCase() !== 'yes') {
    channel.write('\nNew recovery codes have *not* been made. Those that you have stay good.\n');
    return 0;
  }
  const codes = await renewCodesOf(services, user.id);
  if (!codes) throw GitRefusal.forbidden('Two-factor authentication is not enabled for your user account.');
  const told = `\nYour two-factor recovery codes are:\n\n${codes.join('\n')}\n\nEach lets you in once. Sign in with one, then put a new app in place of the lost one.\n`;
  await new Promise<void>((resolve) => channel.write(told, () => resolve()));
  return 0;
}

import type { ServerChannel } from 'ssh2';
import type { Services } from '../../access/services.ts';
import { renewCodesOf } from '../../people/second-factor/public.ts';
import { GitRefusal } from '../transport/public.ts';
import type { KeyHolder } from './identify.ts';

/** Context of a command about the key owner's account. */
export interface AccountCommand {
  readonly services: Services;
  readonly holder: KeyHolder;
  readonly channel: ServerChannel;
}

const maxAnswerLength = 100;
const timeoutMs = 60_000;

/** Reads a line from the client; on timeout or end of input, what was received so far. */
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
      if (text.length > maxAnswerLength || /[\r\n]/.test(text)) done();
    };
    const timer = setTimeout(done, timeoutMs);
    channel.on('data', take).on('end', done).on('close', done);
  });
}

/**
 * Implements `2fa_recovery_codes`, for users who lost their authenticator and recovery codes but have their SSH key.
 */
export async function generateRecoveryCodes({ services, holder, channel }: AccountCommand): Promise<number> {
  const { user } = holder.actor;
  if (!user) throw GitRefusal.forbidden('Deploy keys cannot generate recovery codes.');
  // The signer of a group's certificates must not gain access beyond the group.
  if (holder.within) throw GitRefusal.forbidden('Group SSH certificates cannot generate recovery codes.');
  if (user.two_factor_enabled === 0) {
    throw GitRefusal.forbidden('Two-factor authentication is not enabled for your user account.');
  }
  channel.write('Generate new two-factor recovery codes?\nYour existing recovery codes will stop working. (yes/no)\n');
  if ((await readLine(channel)).toLowerCase() !== 'yes') {
    channel.write('\nNo recovery codes have been generated. Your existing codes remain valid.\n');
    return 0;
  }
  const codes = await renewCodesOf(services, user.id);
  if (!codes) throw GitRefusal.forbidden('Two-factor authentication is not enabled for your user account.');
  const output = `\nYour two-factor recovery codes are:\n\n${codes.join('\n')}\n\nEach code can be used once. Sign in with one of them, then replace the lost authenticator in your account settings.\n`;
  await new Promise<void>((resolve) => channel.write(output, () => resolve()));
  return 0;
}

import type { Config } from '../../src/config/config.ts';
import { administer } from '../accounts.ts';
import { CommandError, defineCommand } from '../command.ts';

// Exit codes for mail servers (sysexits.h): try again later, or return the message to its sender.
const later = 75;
const unwanted = 65;

/** `hearth mail receive` */
export const command = defineCommand({
  about:
    'Stores one email from standard input for the server to process. Use it with a mail server on this machine, instead of\n' +
    'a mailbox. Exit code 75 asks the mail server to try again.',
  examples: ['hearth mail receive < message.eml', 'incoming: "|hearth mail receive --data /var/lib/hearth"'],
  flags: {},
  async run({ config }) {
    if (config.incomingMailAddress === undefined) {
      throw new CommandError('incoming mail is disabled: set HEARTH_INCOMING_MAIL_ADDRESS', later);
    }
    const raw = await message(config);
    try {
      return await administer(config, async (services) => {
        const { handedOver, storeMessage } = await import('../../src/integrations/incoming-mail/public.ts');
        await storeMessage(services, { source: handedOver(), raw, oversized: false });
      });
    } catch (error) {
      throw new CommandError(error instanceof Error ? error.message : String(error), later);
    }
  },
});

async function message({ maxIncomingMail }: Config): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxIncomingMail) throw new CommandError('the message is larger than HEARTH_MAX_INCOMING_MAIL', unwanted);
    pieces.push(piece);
  }
  if (size === 0) throw new CommandError('standard input is empty', unwanted);
  return Buffer.concat(pieces);
}

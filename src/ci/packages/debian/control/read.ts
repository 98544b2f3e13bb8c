import { Thread } from '../../../../platform/threads/thread.ts';
import { type PackedControl, readPackedControl } from '../formats/deb.ts';
import { type Paragraph, readParagraph } from '../formats/paragraph.ts';
import { Rejected } from '../rejected.ts';
import type { ControlResult } from './work.ts';

/** Unpacking the largest control archive takes some seconds, which would block the event loop. */
const thread = new Thread<PackedControl, ControlResult>(new URL('./worker.ts', import.meta.url), {
  patience: 60_000,
  waiting: 64,
});

/** Reads the control file of a `.deb`. */
export async function readControl(source: AsyncIterable<Buffer>): Promise<Paragraph> {
  const packed = await readPackedControl(source);
  const result = await thread.ask(packed);
  // Busy, stopped or too slow: the job that asks tries again.
  if (result === undefined) throw new Error('the control archive was not unpacked in time');
  if ('problem' in result) throw new Rejected(result.problem);
  const paragraph = readParagraph(result.text);
  if (!paragraph) throw new Rejected('its control file is malformed');
  return paragraph;
}

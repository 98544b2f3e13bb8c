import { pipeline, type Readable } from 'node:stream';
import { base64Decoder, decodeBase64, type Leniency, NotBase64 } from '../../../platform/http/bodies/base64.ts';
import { SpooledText } from '../../../platform/http/bodies/upload.ts';
import { BadRequest } from '../../../platform/http/errors.ts';

/** What a file is to contain, as it was sent: held in memory when short, on disk when long. */
export interface Content {
  readonly text: string | SpooledText;
  readonly encoding: 'text' | 'base64';
  readonly leniency: Leniency;
}

/** The bytes of a file to be written: short ones at once, long ones as a stream that can be opened again. */
export type ContentBytes = Buffer | { open(): Readable };

/** Decodes what was sent. */
export function contentBytes({ text, encoding, leniency }: Content): ContentBytes {
  if (text instanceof SpooledText) return { open: () => openSpooled(text, encoding, leniency) };
  if (encoding === 'text') return Buffer.from(text);
  try {
    return decodeBase64(text, leniency);
  } catch (error) {
    throw undecodable(error);
  }
}

function openSpooled(text: SpooledText, encoding: Content['encoding'], leniency: Leniency): Readable {
  if (encoding === 'text') return text.open();
  const decoder = base64Decoder(leniency);
  // The reader of the decoder learns of failures on either side.
  pipeline(text.open(), decoder, () => {});
  return decoder;
}

/** The answer to a text that is not what it says. */
export function undecodable(error: unknown): unknown {
  return error instanceof NotBase64 ? BadRequest.plain(error.message) : error;
}

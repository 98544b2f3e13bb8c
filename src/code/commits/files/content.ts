import { pipeline, type Readable } from 'node:stream';
import { base64Decoder, decodeBase64, type Leniency, NotBase64 } from '../../../platform/http/bodies/base64.ts';
import { SpooledText } from '../../../platform/http/bodies/upload.ts';
import { BadRequest } from '../../../platform/http/errors.ts';

/** The content of a file as sent: in memory if short, spooled to disk if long. */
export interface Content {
  readonly text: string | SpooledText;
  readonly encoding: 'text' | 'base64';
  readonly leniency: Leniency;
}

/** Decoded content: short content as a buffer, long content as a stream that can be reopened. */
export type ContentBytes = Buffer | { open(): Readable };

/** Decodes the content. */
export function contentBytes({ text, encoding, leniency }: Content): ContentBytes {
  if (text instanceof SpooledText) return { open: () => openSpooled(text, encoding, leniency) };
  if (encoding === 'text') return Buffer.from(text);
  try {
    return decodeBase64(text, leniency);
  } catch (error) {
    throw decodingErrorToBadRequest(error);
  }
}

function openSpooled(text: SpooledText, encoding: Content['encoding'], leniency: Leniency): Readable {
  if (encoding === 'text') return text.open();
  const decoder = base64Decoder(leniency);
  // Readers of the decoder see errors of either stream.
  pipeline(text.open(), decoder, () => {});
  return decoder;
}

/** Converts a decoding error into a 400 response. */
export function decodingErrorToBadRequest(error: unknown): unknown {
  return error instanceof NotBase64 ? BadRequest.plain(error.message) : error;
}

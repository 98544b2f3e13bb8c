import type { Leniency } from '../../../platform/http/bodies/base64.ts';
import { SpooledText } from '../../../platform/http/bodies/upload.ts';
import { BadRequest } from '../../../platform/http/errors.ts';
import { boolean } from '../../../platform/http/parameters/param-readers.ts';
import type { Content } from './content.ts';
import type { BodyFields } from './large-body.ts';

/** Reads a text field. Absent, null and blank values are undefined. */
export function textField(fields: BodyFields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  const text = plainText(value);
  if (value instanceof SpooledText) throw new BadRequest(`${name} is too long`);
  if (text === undefined) throw new BadRequest(`${name} must be a string`);
  return text.trim() === '' ? undefined : text;
}

/** Reads a required text field. */
export function requiredField(fields: BodyFields, name: string): string {
  const text = textField(fields, name);
  if (text === undefined) throw new BadRequest(`${name} is required`);
  return text;
}

/** Reads a boolean field, including the spellings used by forms. */
export function flagField(fields: BodyFields, name: string, label = name): boolean | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  const flag = boolean(value, name, []);
  if (flag === undefined) throw new BadRequest(`${label} must be a boolean`);
  return flag;
}

/** Reads the executable flag, which only accepts `true` and `false`. */
export function modeField(fields: BodyFields, label = 'execute_filemode'): boolean | undefined {
  const value = fields.execute_filemode;
  if (value === undefined || value === null || value === '') return undefined;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new BadRequest(`${label} must be a boolean`);
}

/** Reads the encoding: `text` or `base64`. */
export function encodingField(fields: BodyFields, label: string): Content['encoding'] {
  const value = fields.encoding ?? 'text';
  if (value === 'text' || value === 'base64') return value;
  throw new BadRequest(`${label} must be text or base64`);
}

/** Reads the content field, which the caller has checked to be present. Null is an empty file. */
export function contentField(
  fields: BodyFields,
  label: string,
  encoding: Content['encoding'],
  leniency: Leniency,
): Content {
  const { content } = fields;
  const text = content === null || content instanceof SpooledText ? (content ?? '') : plainText(content);
  if (text === undefined) throw new BadRequest(`${label} must be a string`);
  return { text, encoding, leniency };
}

function plainText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

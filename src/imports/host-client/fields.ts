import Type, { type TSchema } from 'typebox';

/** A field that other hosts leave out, or say nothing in. */
export const maybe = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));

/** No database keeps a text with a NUL in it. */
const keepable = '^[^\\u0000]*$';

export const text = Type.String({ pattern: keepable });
/** What somebody is called: it names them here too. */
export const shortText = Type.String({ pattern: keepable, maxLength: 255 });
/** The name of a branch or tag, in which git allows neither spaces nor control characters. */
export const refName = Type.String({ pattern: '^[^\\u0000-\\u0020\\u007f]*$', maxLength: 1000 });
export const commitId = Type.String({ pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$' });
/** The number of something. */
export const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** A line of a file. */
export const line = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** Milliseconds; a date has no more of them. */
export const milliseconds = Type.Integer({ minimum: 0, maximum: 8.64e15 });
export const flag = Type.Boolean();

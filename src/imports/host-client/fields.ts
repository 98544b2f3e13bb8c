import Type, { type TSchema } from 'typebox';

/** An optional or nullable field. */
export const maybe = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));

/** Databases cannot store texts with NUL characters. */
const withoutNul = '^[^\\u0000]*$';

export const text = Type.String({ pattern: withoutNul });
/** A user name, which is displayed here too. */
export const shortText = Type.String({ pattern: withoutNul, maxLength: 255 });
/** A branch or tag name; Git allows neither spaces nor control characters. */
export const refName = Type.String({ pattern: '^[^\\u0000-\\u0020\\u007f]*$', maxLength: 1000 });
export const commitId = Type.String({ pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$' });
/** An ID or number. */
export const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** A line number. */
export const line = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** A timestamp in milliseconds, within the range of dates. */
export const milliseconds = Type.Integer({ minimum: 0, maximum: 8.64e15 });
export const flag = Type.Boolean();

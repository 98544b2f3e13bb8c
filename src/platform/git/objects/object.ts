export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

/** What git says of an object name. */
export type ObjectInfo =
  | { readonly status: 'found'; readonly oid: string; readonly type: ObjectType; readonly size: number }
  | { readonly status: 'missing' }
  | { readonly status: 'ambiguous' };

/** The same with the object's bytes. */
export type ObjectContents =
  | {
      readonly status: 'found';
      readonly oid: string;
      readonly type: ObjectType;
      readonly size: number;
      readonly data: Buffer;
    }
  | { readonly status: 'too-large'; readonly oid: string; readonly type: ObjectType; readonly size: number }
  | { readonly status: 'missing' }
  | { readonly status: 'ambiguous' };

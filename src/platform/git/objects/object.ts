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
  | {
      readonly status: 'too-large';
      readonly oid: string;
      readonly type: ObjectType;
      readonly size: number;
      /** Of a commit or tag, as much as is read of one. */
      readonly beginning: Buffer;
    }
  | { readonly status: 'missing' }
  | { readonly status: 'ambiguous' };

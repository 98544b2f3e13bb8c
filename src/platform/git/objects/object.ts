export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

/** git's answer about an object name. */
export type ObjectInfo =
  | { readonly status: 'found'; readonly oid: string; readonly type: ObjectType; readonly size: number }
  | { readonly status: 'missing' }
  | { readonly status: 'ambiguous' };

/** git's answer with the object's content. */
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
      /** The first `MAX_TEXT` bytes of a commit or tag. */
      readonly beginning: Buffer;
    }
  | { readonly status: 'missing' }
  | { readonly status: 'ambiguous' };

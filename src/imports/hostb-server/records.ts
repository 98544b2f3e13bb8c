import Type, { type Static } from 'typebox';
import { jsonShape } from '../../platform/json-shape.ts';
import { recordList, type SourceList } from '../content/public.ts';
import { field } from '../host-client/public.ts';

const { commitId, flag, id, line, maybe, milliseconds, refName, shortText, text } = field;

const User = Type.Object({ name: maybe(shortText), slug: maybe(shortText), displayName: maybe(text) });

const Link = Type.Object({ href: text });

const Repository = Type.Object({
  name: text,
  description: maybe(text),
  project: maybe(Type.Object({ public: maybe(flag) })),
  links: maybe(
    Type.Object({
      clone: maybe(Type.Array(Type.Object({ name: text, href: text }))),
      self: maybe(Type.Array(Link)),
    }),
  ),
});

const Ref = Type.Object({ id: refName, latestCommit: commitId });

const Pull = Type.Object({
  id,
  title: text,
  description: maybe(text),
  state: text,
  createdDate: milliseconds,
  updatedDate: milliseconds,
  fromRef: Ref,
  toRef: Ref,
  author: Type.Object({ user: User }),
  reviewers: maybe(Type.Array(Type.Object({ user: User }))),
});

/** Replies are validated individually, because they can be nested arbitrarily deep. */
const Comment = Type.Object({
  id,
  text,
  author: User,
  createdDate: milliseconds,
  comments: maybe(Type.Array(Type.Unknown())),
});

const Segment = Type.Object({
  lines: maybe(
    Type.Array(Type.Object({ source: line, destination: line, commentIds: maybe(Type.Array(Type.Number())) })),
  ),
});

const Activity = Type.Object({
  id,
  action: text,
  createdDate: milliseconds,
  user: maybe(User),
  comment: maybe(Comment),
  commentAnchor: maybe(
    Type.Object({
      path: text,
      srcPath: maybe(text),
      lineType: maybe(text),
      fromHash: maybe(commitId),
      toHash: maybe(commitId),
    }),
  ),
  diff: maybe(Type.Object({ hunks: maybe(Type.Array(Type.Object({ segments: maybe(Type.Array(Segment)) }))) })),
  commit: maybe(Type.Object({ id: commitId, committer: maybe(User), committerTimestamp: maybe(milliseconds) })),
});

export type ServerUser = Static<typeof User>;
export type ServerRepository = Static<typeof Repository>;
export type ServerPull = Static<typeof Pull>;
export type ServerComment = Static<typeof Comment>;
export type ServerActivity = Static<typeof Activity>;

export const serverRepository = jsonShape(Repository);
/** A repository in a list. */
export const serverListed = jsonShape(
  Type.Object({
    slug: text,
    name: text,
    description: maybe(text),
    public: maybe(flag),
    project: Type.Object({ key: text, name: maybe(text) }),
  }),
);
export const serverPage = jsonShape(
  Type.Object({ values: recordList, isLastPage: maybe(flag), nextPageStart: maybe(line) }),
);

export const lists = {
  pulls: { kind: 'pull_request', record: jsonShape(Pull) },
  activities: { kind: 'activity', record: jsonShape(Activity) },
  comments: { kind: 'note', record: jsonShape(Comment) },
} satisfies Record<string, SourceList<unknown>>;

import Type, { type Static } from 'typebox';
import { jsonShape } from '../../platform/json-shape.ts';
import { recordList, type SourceList } from '../content/public.ts';
import { field } from '../host-client/public.ts';

const { flag, id, line, maybe, refName, text } = field;

const User = Type.Object({
  uuid: maybe(text),
  account_id: maybe(text),
  nickname: maybe(text),
  display_name: maybe(text),
});

const Repository = Type.Object({
  name: text,
  full_name: maybe(text),
  description: maybe(text),
  is_private: maybe(flag),
  has_issues: maybe(flag),
  has_wiki: maybe(flag),
  mainbranch: maybe(Type.Object({ name: maybe(text) })),
  links: maybe(Type.Object({ clone: maybe(Type.Array(Type.Object({ name: text, href: text }))) })),
});

const Commit = Type.Object({ hash: text });

const Side = Type.Object({
  branch: Type.Object({ name: refName }),
  commit: maybe(Commit),
  repository: maybe(Type.Object({ uuid: maybe(text) })),
});

const timed = { id, created_on: maybe(text), updated_on: maybe(text) };

const Pull = Type.Object({
  ...timed,
  title: text,
  description: maybe(text),
  state: text,
  author: maybe(User),
  reviewers: maybe(Type.Array(User, { maxItems: 1000 })),
  closed_by: maybe(User),
  source: Side,
  destination: Side,
  merge_commit: maybe(Commit),
});

const Content = Type.Object({ raw: maybe(text) });

const Comment = Type.Object({
  ...timed,
  content: maybe(Content),
  user: maybe(User),
  inline: maybe(Type.Object({ path: text, from: maybe(line), to: maybe(line) })),
  parent: maybe(Type.Object({ id })),
  deleted: maybe(flag),
});

const Issue = Type.Object({
  ...timed,
  title: text,
  content: maybe(Content),
  state: text,
  kind: maybe(text),
  milestone: maybe(Type.Object({ name: maybe(text) })),
  reporter: maybe(User),
  edited_on: maybe(text),
});

export type HostbUser = Static<typeof User>;
export type HostbRepository = Static<typeof Repository>;
export type HostbPull = Static<typeof Pull>;
export type HostbComment = Static<typeof Comment>;

export const hostbUser = jsonShape(User);
export const hostbRepository = jsonShape(Repository);
/** A repository in a list. */
export const hostbListed = jsonShape(
  Type.Object({ full_name: text, description: maybe(text), is_private: maybe(flag) }),
);
export const hostbPage = jsonShape(Type.Object({ values: recordList, next: maybe(text) }));

export const lists = {
  pulls: { kind: 'pull_request', record: jsonShape(Pull) },
  issues: { kind: 'issue', record: jsonShape(Issue) },
  comments: { kind: 'note', record: jsonShape(Comment) },
  members: { kind: 'user', record: jsonShape(Type.Object({ user: User })) },
} satisfies Record<string, SourceList<unknown>>;

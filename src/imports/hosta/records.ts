import Type, { type Static } from 'typebox';
import { jsonShape } from '../../platform/json-shape.ts';
import type { SourceList } from '../content/public.ts';
import { field } from '../host-client/public.ts';

const { commitId, flag, id, line, maybe, refName, shortText, text } = field;

/** A user; null for deleted accounts. */
const User = Type.Object({ id, login: shortText });

const Repository = Type.Object({
  name: Type.String({ pattern: '^[^\\u0000]+$' }),
  full_name: Type.String({ pattern: '^[^/\\u0000]+/[^/\\u0000]+$' }),
  description: maybe(text),
  private: maybe(flag),
  default_branch: maybe(text),
  clone_url: Type.String({ pattern: '^https?://[^\\u0000]+$' }),
  has_wiki: maybe(flag),
});

const timed = { created_at: maybe(text), updated_at: maybe(text) };

const Milestone = Type.Object({
  number: id,
  title: text,
  description: maybe(text),
  state: maybe(text),
  due_on: maybe(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d' })),
  ...timed,
});

const Release = Type.Object({
  tag_name: maybe(refName),
  name: maybe(text),
  body: maybe(text),
  created_at: maybe(text),
  published_at: maybe(text),
  author: maybe(User),
});

const described = {
  number: id,
  title: text,
  body: maybe(text),
  state: text,
  user: maybe(User),
  milestone: maybe(Type.Object({ number: id })),
  closed_at: maybe(text),
  ...timed,
};

const Issue = Type.Object({
  ...described,
  assignees: maybe(Type.Array(User)),
  labels: maybe(Type.Array(Type.Union([Type.Object({ name: text }), text]))),
  /** Present for pull requests. */
  pull_request: Type.Optional(Type.Unknown()),
});

const Side = Type.Object({
  ref: refName,
  sha: commitId,
  repo: maybe(Type.Object({ id })),
  user: maybe(User),
});

const Pull = Type.Object({
  ...described,
  assignee: maybe(User),
  draft: maybe(flag),
  head: Side,
  base: Side,
  merged_at: maybe(text),
  merge_commit_sha: maybe(commitId),
});

const DiffNote = Type.Object({
  id,
  html_url: text,
  path: text,
  commit_id: commitId,
  original_commit_id: commitId,
  side: maybe(text),
  line: maybe(line),
  start_line: maybe(line),
  in_reply_to_id: maybe(id),
  subject_type: maybe(text),
  user: maybe(User),
  body: maybe(text),
  ...timed,
});

const Event = Type.Object({
  id: maybe(id),
  event: text,
  actor: maybe(User),
  user: maybe(User),
  body: maybe(text),
  state: maybe(text),
  ...timed,
  submitted_at: maybe(text),
  commit_id: maybe(commitId),
  label: maybe(Type.Object({ name: text })),
  milestone: maybe(Type.Object({ title: text })),
  assignee: maybe(User),
  rename: maybe(Type.Object({ from: text, to: text })),
  source: maybe(
    Type.Object({
      issue: maybe(Type.Object({ id, number: id, pull_request: Type.Optional(Type.Unknown()) })),
    }),
  ),
  requested_reviewer: maybe(User),
});

const Collaborator = Type.Object({ id, login: shortText, role_name: text });
const Branch = Type.Object({ name: refName, protected: maybe(flag) });
const Label = Type.Object({ name: text, color: maybe(text) });

const Protection = Type.Object({
  required_pull_request_reviews: Type.Optional(Type.Unknown()),
  allow_force_pushes: maybe(Type.Object({ enabled: maybe(flag) })),
});

export type HostaUser = Static<typeof User>;
export type HostaRepository = Static<typeof Repository>;
export type HostaIssue = Static<typeof Issue>;
export type HostaPull = Static<typeof Pull>;
export type HostaDiffNote = Static<typeof DiffNote>;
export type HostaEvent = Static<typeof Event>;

export type HostaProtection = Static<typeof Protection>;

export const hostaRepository = jsonShape(Repository);
/** A repository in a list. */
export const hostaListed = jsonShape(
  Type.Object({ id, full_name: text, description: maybe(text), private: maybe(flag) }),
);
export const hostaProfile = jsonShape(Type.Object({ name: maybe(text) }));
export const hostaProtection = jsonShape(Protection);
/** A supported timeline event. */
export const hostaEvent = jsonShape(Event);

export const lists = {
  labels: { kind: 'label', record: jsonShape(Label) },
  milestones: { kind: 'milestone', record: jsonShape(Milestone) },
  releases: { kind: 'release', record: jsonShape(Release) },
  pulls: { kind: 'pull_request', record: jsonShape(Pull) },
  collaborators: { kind: 'collaborator', record: jsonShape(Collaborator) },
  issues: { kind: 'issue', record: jsonShape(Issue) },
  diffNotes: { kind: 'diff_note', record: jsonShape(DiffNote) },
  branches: { kind: 'protected_branch', record: jsonShape(Branch) },
  /** Events of all kinds: most are not imported, so only the kind is validated here. */
  events: {
    kind: 'timeline',
    record: jsonShape(Type.Object({ id: Type.Optional(Type.Unknown()), event: text })),
  },
} satisfies Record<string, SourceList<unknown>>;

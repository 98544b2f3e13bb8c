import { notBlank, param, type Rule, required, withDefault } from '../../platform/http/params.ts';

export const project = { id: required(param.string({ description: 'Number or URL-encoded path of the project' })) };
export const commit = {
  ...project,
  sha: required(param.string({ description: 'Id of a commit, or the name of a branch or tag' })),
};

export const listing = {
  ...project,
  ref_name: param.string({ description: 'Branch, tag, commit, or a range of two: `a..b`, `a...b`' }),
  all: withDefault(param.boolean(), false),
  path: param.string(),
  follow: withDefault(param.boolean({ description: 'Follow renames when the path is one file' }), true),
  author: param.string({ description: 'A pattern for name or e-mail address' }),
  since: param.dateTime(),
  until: param.dateTime(),
  first_parent: withDefault(param.boolean(), false),
  order: withDefault(param.oneOf(['default', 'topo']), 'default' as const),
  with_stats: withDefault(param.boolean(), false),
  trailers: withDefault(param.boolean(), false),
};

// The body is read and checked by hand, since it may be hundreds of megabytes: here it is only described.
const text = (description: string) => param.any({ description });
export const creation = {
  ...project,
  branch: text('Required'),
  commit_message: text('Required'),
  actions: text('Array of objects with `action`, `file_path`, and what the action needs'),
  allow_empty: text('Allows a commit without actions'),
  author_email: text('E-mail address of the author'),
  author_name: text('Name of the author'),
  force: text('Replaces the history of the branch'),
  start_branch: text('Branch to start from'),
  start_project: text('Project that `start_branch` or `start_sha` is of'),
  start_sha: text('Commit to start from'),
  stats: text('Adds the statistics; true by default'),
};

export const single = { ...commit, stats: withDefault(param.boolean(), true) };
export const refs = { ...commit, type: withDefault(param.oneOf(['branch', 'tag', 'all']), 'all' as const) };
export const sequence = { ...commit, first_parent: withDefault(param.boolean(), false) };
export const diff = { ...commit, unidiff: withDefault(param.boolean(), false) };
export const mergeRequests = { ...commit, state: param.string() };

export const revert = {
  ...commit,
  branch: notBlank(required(param.string())),
  dry_run: withDefault(param.boolean(), false),
};
export const cherryPick = { ...revert, message: param.string() };

export const comment = {
  ...commit,
  note: required(param.string()),
  path: param.string(),
  line: param.integer(),
  line_type: withDefault(param.oneOf(['new', 'old']), 'new' as const),
};
/** A path without a line says nothing. */
export const commentRule: Rule = ({ path, line }) =>
  path !== undefined && path !== null && line === undefined ? 'line is missing' : undefined;

export const submodule = {
  ...project,
  submodule: required(param.string({ description: 'URL-encoded path of the submodule' })),
  branch: notBlank(required(param.string())),
  commit_sha: notBlank(required(param.string())),
  commit_message: param.string(),
};

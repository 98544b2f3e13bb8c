import { GraphQLError } from 'graphql';

/** What `gid://gitlab/Project/5` says. */
export interface GlobalId {
  readonly model: string;
  readonly id: string;
}

const written = /^gid:\/\/gitlab\/([A-Za-z][A-Za-z0-9:]*)\/([A-Za-z0-9_.-]{1,100})$/;

/** The global id of something. */
export function globalId(model: string, id: string | number): string {
  return `gid://gitlab/${model}/${id}`;
}

/** What a global id names; undefined where it is none. */
export function readGlobalId(text: string): GlobalId | undefined {
  const [, model, id] = written.exec(text) ?? [];
  return model === undefined || id === undefined ? undefined : { model, id };
}

const threads = ['Discussion', 'IndividualNoteDiscussion', 'DiffDiscussion', 'OutOfContextDiscussion'];
const noteIds = ['Note', 'DiscussionNote', 'DiffNote', 'LegacyDiffNote'];
const noteables = ['Issue', 'WorkItem', 'MergeRequest', 'Snippet', 'ProjectSnippet', 'PersonalSnippet'];

/** The scalars of ids, and the models that each takes: in GitLab a model's subclasses have names of their own. */
export const idScalars: Readonly<Record<string, readonly string[]>> = {
  UserID: ['User'],
  ProjectID: ['Project'],
  GroupID: ['Group'],
  NamespaceID: ['Namespace', 'Group'],
  MergeRequestID: ['MergeRequest'],
  IssueID: ['Issue', 'WorkItem'],
  WorkItemID: ['WorkItem', 'Issue'],
  LabelID: ['Label', 'ProjectLabel', 'GroupLabel'],
  MilestoneID: ['Milestone'],
  NoteID: noteIds,
  NoteableID: noteables,
  AwardableID: [...noteIds, ...noteables],
  DiscussionID: threads,
  SnippetID: ['Snippet', 'ProjectSnippet', 'PersonalSnippet'],
  CiPipelineID: ['Ci::Pipeline'],
  JobID: ['Ci::Build', 'CommitStatus', 'Ci::Bridge'],
  CiBuildID: ['Ci::Build'],
};

/** Reads an id that must be of one of these models. */
export function expectGlobalId(value: unknown, models: readonly string[]): GlobalId {
  const read = typeof value === 'string' ? readGlobalId(value) : undefined;
  if (!read) throw new GraphQLError(`${JSON.stringify(value)} is not a valid Global ID`);
  if (!models.includes(read.model)) {
    throw new GraphQLError(`${JSON.stringify(value)} does not represent an instance of ${models[0]}`);
  }
  return read;
}

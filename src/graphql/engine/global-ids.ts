import { GraphQLError } from 'graphql';

/** A parsed global id such as `gid://gitlab/Project/5`. */
export interface GlobalId {
  readonly model: string;
  readonly id: string;
}

const written = /^gid:\/\/gitlab\/([A-Za-z][A-Za-z0-9:]*)\/([A-Za-z0-9_.-]{1,100})$/;

/** Formats a global id. */
export function globalId(model: string, id: string | number): string {
  return `gid://gitlab/${model}/${id}`;
}

/** Parses a global id; undefined if it is invalid. */
export function readGlobalId(text: string): GlobalId | undefined {
  const [, model, id] = written.exec(text) ?? [];
  return model === undefined || id === undefined ? undefined : { model, id };
}

const threads = ['Discussion', 'IndividualNoteDiscussion', 'DiffDiscussion', 'OutOfContextDiscussion'];
const noteIds = ['Note', 'DiscussionNote', 'DiffNote', 'LegacyDiffNote'];
const noteables = ['Issue', 'WorkItem', 'MergeRequest', 'Snippet', 'ProjectSnippet', 'PersonalSnippet'];

/** The id scalars, and the models that each accepts: in GitLab, subclasses of a model have their own names. */
export const idScalars: Readonly<Record<string, readonly string[]>> = {
  UserID: ['User'],
  ProjectID: ['Project'],
  GroupID: ['Group'],
  NamespaceID: ['Namespace', 'Group'],
  MergeRequestID: ['MergeRequest'],
  IssueID: ['Issue', 'WorkItem'],
  WorkItemID: ['WorkItem', 'Issue'],
  WorkItemsTypeID: ['WorkItems::Type'],
  LabelID: ['Label', 'ProjectLabel', 'GroupLabel'],
  MilestoneID: ['Milestone'],
  IterationID: ['Iteration'],
  NoteID: noteIds,
  NoteableID: noteables,
  AwardableID: [...noteIds, ...noteables],
  DiscussionID: threads,
  TodoID: ['Todo'],
  SnippetID: ['Snippet', 'ProjectSnippet', 'PersonalSnippet'],
  CiPipelineID: ['Ci::Pipeline'],
  JobID: ['Ci::Build', 'CommitStatus', 'Ci::Bridge'],
  CiBuildID: ['Ci::Build'],
};

/** Parses a global id that must be of one of these models. */
export function expectGlobalId(value: unknown, models: readonly string[]): GlobalId {
  const read = typeof value === 'string' ? readGlobalId(value) : undefined;
  if (!read) throw new GraphQLError(`${JSON.stringify(value)} is not a valid Global ID`);
  if (!models.includes(read.model)) {
    throw new GraphQLError(`${JSON.stringify(value)} does not represent an instance of ${models[0]}`);
  }
  return read;
}

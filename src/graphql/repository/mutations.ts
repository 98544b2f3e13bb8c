import type { Entity } from '../../platform/http/in-process.ts';
import type { ResolverContext } from '../engine/context.ts';
import { notAvailable } from '../engine/errors.ts';
import { mutation, mutationTypes } from '../engine/mutation.ts';
import type { Part } from '../engine/part.ts';
import { findByPath } from '../projects/projects.ts';

async function repositoryOf(context: ResolverContext, projectPath: string): Promise<string> {
  const project = await findByPath(context, 'projects', projectPath);
  if (!project) throw notAvailable();
  return `/projects/${project.id}/repository`;
}

const actionOf = (action: Entity) => ({
  action: action.action.toLowerCase(),
  file_path: action.filePath,
  previous_path: action.previousPath ?? undefined,
  content: action.content ?? undefined,
  encoding: action.encoding?.toLowerCase(),
  execute_filemode: action.executeFilemode ?? undefined,
  last_commit_id: action.lastCommitId ?? undefined,
});

async function commit(context: ResolverContext, { projectPath, branch, startBranch, message, actions }: Entity) {
  const { entity, errors } = await context.send('POST', `${await repositoryOf(context, projectPath)}/commits`, {
    branch,
    commit_message: message,
    start_branch: startBranch ?? undefined,
    actions: actions.map(actionOf),
  });
  const content = entity ? actions.map(({ content: text }: Entity) => text ?? '') : null;
  return { commit: entity, content, errors };
}

async function createBranch(context: ResolverContext, { projectPath, name, ref }: Entity) {
  const path = `${await repositoryOf(context, projectPath)}/branches`;
  const { entity, errors } = await context.send('POST', path, { branch: name, ref });
  return { branch: entity, errors };
}

export const repositoryMutations: Part = {
  types: `
    extend type Mutation {
      commitCreate(input: CommitCreateInput!): CommitCreatePayload
      createBranch(input: CreateBranchInput!): CreateBranchPayload
    }
    type Branch { commit: Commit name: String! }
    enum CommitActionMode { CHMOD CREATE DELETE MOVE UPDATE }
    enum CommitEncoding { BASE64 TEXT }
    input CommitAction {
      action: CommitActionMode!
      content: String
      encoding: CommitEncoding
      executeFilemode: Boolean
      filePath: String!
      lastCommitId: String
      previousPath: String
    }
    ${mutationTypes(
      'CommitCreate',
      'actions: [CommitAction!]! branch: String! message: String! projectPath: ID! startBranch: String',
      'commit: Commit content: [String!]',
    )}
    ${mutationTypes('CreateBranch', 'name: String! projectPath: ID! ref: String!', 'branch: Branch')}
  `,
  fields: { Mutation: { commitCreate: mutation(commit), createBranch: mutation(createBranch) } },
};

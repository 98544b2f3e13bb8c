import type { Entity } from '../../platform/http/in-process.ts';
import { connectionTypes, pageArguments, restConnection } from '../engine/connection.ts';
import type { Part } from '../engine/part.ts';
import { pathOfUrl, userById } from '../people/users.ts';
import { mergeRequestApiPath } from './merge-requests.ts';

const firstLine = (message: string) => message.split('\n', 1)[0] ?? '';

export const commits: Part = {
  types: `
    extend type MergeRequest { commits(${pageArguments}): CommitConnection }
    type Commit {
      author: UserCore
      authorEmail: String
      authorName: String
      authoredDate: Time
      committedDate: Time
      committerEmail: String
      committerName: String
      "The commit message without its first line."
      description: String
      fullTitle: String
      id: ID!
      message: String
      sha: String!
      shortId: String!
      title: String
      webPath: String!
      webUrl: String!
    }
    ${connectionTypes('Commit', 'count: Int!')}
  `,
  fields: {
    MergeRequest: {
      commits: (request, page, context) => restConnection(context, `${mergeRequestApiPath(request)}/commits`, page),
    },
    Commit: {
      author: async ({ author_email }, _args, context) => {
        const id = await context.authors.get(author_email.toLowerCase());
        return id === undefined ? null : userById(context, id);
      },
      description: ({ message }) => message.slice(firstLine(message).length).trim(),
      fullTitle: ({ message }) => firstLine(message),
      id: ({ id }) => `gid://gitlab/Gitlab::Git::Commit/${id}`,
      sha: ({ id }: Entity) => id,
      webPath: ({ web_url }) => pathOfUrl(web_url),
    },
  },
};

import type { Field } from '../forms/fields.ts';
import type { JsonBody } from '../frame/api.ts';

/** A host whose repositories can be selected from a list. */
export interface Host {
  /** Name in the API and in the instance settings. */
  readonly slug: 'github' | 'bitbucket' | 'bitbucket_server';
  readonly title: string;
  readonly brings: string;
  /** Credentials, by API parameter. */
  readonly fields: readonly Field[];
  /** Returns the API parameters that select one repository. */
  chosen(id: string): JsonBody;
}

const token = (hint: string): Field => ({
  name: 'personal_access_token',
  label: 'Access token',
  kind: 'password',
  required: true,
  hint,
});

export const hosts: readonly Host[] = [
  {
    slug: 'github',
    title: 'GitHub',
    brings:
      'The repository, issues, pull requests, comments and reviews, labels, milestones, releases, protected branches and the wiki.',
    fields: [
      token('Classic token with the scope repo'),
      { name: 'github_hostname', label: 'Server', hint: 'For GitHub Enterprise Server; empty: github.com' },
    ],
    chosen: (id) => ({ repo_id: Number(id) }),
  },
  {
    slug: 'bitbucket',
    title: 'Bitbucket Cloud',
    brings: 'The repository, pull requests and issues with their comments, and the wiki.',
    fields: [
      { name: 'bitbucket_email', label: 'Email', kind: 'email', required: true },
      {
        name: 'bitbucket_api_token',
        label: 'API token',
        kind: 'password',
        required: true,
        hint: 'With read access to repositories, pull requests and issues',
      },
      { name: 'workspace', label: 'Workspace', required: true, hint: 'As in URLs of that host' },
    ],
    chosen: (id) => ({ repo_path: id }),
  },
  {
    slug: 'bitbucket_server',
    title: 'Bitbucket Server',
    brings: 'The repository and pull requests with their comments.',
    fields: [
      {
        name: 'bitbucket_server_url',
        label: 'Server',
        kind: 'url',
        required: true,
        placeholder: 'https://bitbucket.example.com',
      },
      { name: 'bitbucket_server_username', label: 'Username', required: true },
      token('Or the password'),
    ],
    chosen(id) {
      const [bitbucket_server_project, bitbucket_server_repo] = id.split(/\/(.*)/s);
      return { bitbucket_server_project, bitbucket_server_repo };
    },
  },
];

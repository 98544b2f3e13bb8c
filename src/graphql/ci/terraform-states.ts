import { apiPrefix } from '../../platform/http/app.ts';
import type { Entity } from '../../platform/http/in-process.ts';
import { connectionTypes, pageArguments, restConnection } from '../engine/connection.ts';
import type { Part } from '../engine/part.ts';

/** A state with its project id, which its URL needs. */
const inProject = (projectId: number) => (state: Entity) => ({ ...state, projectId });

const addressOf = ({ projectId, name }: Entity) =>
  `${apiPrefix}/projects/${projectId}/terraform/state/${encodeURIComponent(name)}`;

export const terraformStates: Part = {
  types: `
    extend type Project {
      terraformState(name: String!): TerraformState
      terraformStates(${pageArguments}): TerraformStateConnection
    }
    "A Terraform or OpenTofu state."
    type TerraformState {
      createdAt: Time!
      "Always null: deleted states are removed completely."
      deletedAt: Time
      latestVersion: TerraformStateVersion
      lockedAt: Time
      lockedByUser: UserCore
      name: String!
      updatedAt: Time!
    }
    type TerraformStateVersion {
      createdAt: Time!
      createdByUser: UserCore
      downloadPath: String
      serial: Int
      updatedAt: Time!
    }
    ${connectionTypes('TerraformState', 'count: Int!')}
  `,
  fields: {
    Project: {
      terraformState: async ({ id }, { name }, context) => {
        const found = await context.read(`/projects/${id}/terraform/states/${encodeURIComponent(name)}`);
        return found && inProject(id)(found);
      },
      terraformStates: ({ id }, page, context) =>
        restConnection(context, `/projects/${id}/terraform/states`, page, { as: inProject(id) }),
    },
    TerraformState: {
      latestVersion: (state) => state.latest_version && { ...state.latest_version, state },
      lockedByUser: ({ locked_by }) => locked_by,
    },
    TerraformStateVersion: {
      createdByUser: ({ created_by }) => created_by,
      downloadPath: ({ state, serial }) => `${addressOf(state)}/versions/${serial}`,
      // A state version never changes.
      updatedAt: ({ created_at }) => created_at,
    },
  },
};

import type { Entity } from '../../platform/http/in-process.ts';
import { connectionTypes, pageArguments, restConnection } from '../engine/connection.ts';
import type { ResolverContext } from '../engine/context.ts';
import { notAvailable } from '../engine/errors.ts';
import { globalId } from '../engine/global-ids.ts';
import { mutation, mutationTypes } from '../engine/mutation.ts';
import type { Part, Resolve } from '../engine/part.ts';
import { findByPath } from '../projects/projects.ts';

const addressOf = ({ id }: Entity) => `/groups/${id}/dependency_proxy`;

/** Resolves a field of a group's dependency proxy, which is read once for all of its fields. */
const ofProxy =
  (field: (proxy: Entity) => unknown): Resolve =>
  async (group, _args, context) => {
    const proxy = await context.read(addressOf(group));
    return proxy ? field(proxy) : null;
  };

const units = ['Bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a size in the largest fitting unit. */
function readable(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${Math.round((bytes / 1024 ** power) * 100) / 100} ${units[power]}`;
}

/** The settings, if the response includes the attributes that only Owners can see. */
const settingOf = (proxy: Entity) => (proxy.identity === undefined ? null : proxy);
const imageName = ({ image, tags, digest }: Entity) => `${image}:${tags[0] ?? digest}`;

async function change(
  context: ResolverContext,
  groupPath: string,
  sent: Entity,
): Promise<{ proxy: Entity; errors: string[] }> {
  const group = await findByPath(context, 'groups', groupPath);
  const before = group && settingOf((await context.read(addressOf(group))) ?? {});
  if (!group || !before) throw notAvailable();
  const { entity, errors } = await context.send('PUT', addressOf(group), sent);
  return { proxy: entity ?? before, errors: [...errors] };
}

export const dependencyProxy: Part = {
  types: `
    extend type Group {
      dependencyProxyBlobCount: Int
      dependencyProxyBlobs(${pageArguments}): DependencyProxyBlobConnection
      dependencyProxyImageCount: Int
      dependencyProxyImagePrefix: String
      dependencyProxyImageTtlPolicy: DependencyProxyImageTtlGroupPolicy
      dependencyProxyManifests(${pageArguments}): DependencyProxyManifestConnection
      dependencyProxySetting: DependencyProxySetting
      dependencyProxyTotalSize: String
    }
    extend type Mutation {
      updateDependencyProxyImageTtlGroupPolicy(input: UpdateDependencyProxyImageTtlGroupPolicyInput!): UpdateDependencyProxyImageTtlGroupPolicyPayload
      updateDependencyProxySettings(input: UpdateDependencyProxySettingsInput!): UpdateDependencyProxySettingsPayload
    }
    type DependencyProxyBlob { createdAt: Time! fileName: String! size: String! updatedAt: Time! }
    type DependencyProxyImageTtlGroupPolicy { createdAt: Time enabled: Boolean! ttl: Int updatedAt: Time }
    type DependencyProxyManifest {
      createdAt: Time!
      digest: String!
      fileName: String!
      id: ID!
      imageName: String!
      size: String!
      updatedAt: Time!
    }
    "Dependency proxy settings of a group; only visible to Owners."
    type DependencyProxySetting { enabled: Boolean! identity: String }
    ${connectionTypes('DependencyProxyBlob', 'count: Int!')}
    ${connectionTypes('DependencyProxyManifest', 'count: Int!')}
    ${mutationTypes('UpdateDependencyProxySettings', 'groupPath: ID! enabled: Boolean identity: String secret: String', 'dependencyProxySetting: DependencyProxySetting')}
    ${mutationTypes('UpdateDependencyProxyImageTtlGroupPolicy', 'groupPath: ID! enabled: Boolean ttl: Int', 'dependencyProxyImageTtlPolicy: DependencyProxyImageTtlGroupPolicy')}
  `,
  fields: {
    Group: {
      dependencyProxyBlobCount: ofProxy(({ blob_count }) => blob_count),
      dependencyProxyBlobs: (group, page, context) => restConnection(context, `${addressOf(group)}/blobs`, page),
      dependencyProxyImageCount: ofProxy(({ image_count }) => image_count),
      dependencyProxyImagePrefix: ofProxy(({ image_prefix }) => image_prefix),
      dependencyProxyImageTtlPolicy: ofProxy(({ ttl_policy }) => ttl_policy ?? null),
      dependencyProxyManifests: (group, page, context) =>
        restConnection(context, `${addressOf(group)}/manifests`, page),
      dependencyProxySetting: ofProxy(settingOf),
      dependencyProxyTotalSize: ofProxy(({ total_size }) => readable(total_size)),
    },
    DependencyProxyBlob: {
      fileName: ({ digest }) => `${digest.replace('sha256:', '')}.gz`,
      size: ({ size }) => readable(size),
      updatedAt: ({ last_pulled_at }) => last_pulled_at,
    },
    DependencyProxyManifest: {
      id: ({ id }) => globalId('DependencyProxy::Manifest', id),
      fileName: (manifest) => `${imageName(manifest)}.json`,
      imageName,
      size: ({ size }) => readable(size),
      updatedAt: ({ last_pulled_at }) => last_pulled_at,
    },
    Mutation: {
      updateDependencyProxySettings: mutation(async (context, { groupPath, enabled, identity, secret }) => {
        const { proxy, errors } = await change(context, groupPath, { enabled: enabled ?? undefined, identity, secret });
        return { dependencyProxySetting: proxy, errors };
      }),
      updateDependencyProxyImageTtlGroupPolicy: mutation(async (context, { groupPath, enabled, ttl }) => {
        const sent = { ttl_enabled: enabled ?? undefined, ttl: ttl ?? undefined };
        const { proxy, errors } = await change(context, groupPath, sent);
        return { dependencyProxyImageTtlPolicy: proxy.ttl_policy, errors };
      }),
    },
  },
};

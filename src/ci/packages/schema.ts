import Type, { type Static } from 'typebox';
import { BasicUser } from '../../people/users/public.ts';
import { type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { orderParams } from '../../platform/list-kit/order.ts';
import { PipelineBasic } from '../pipelines/public.ts';
import { packageList } from './list.ts';
import { fileOrders } from './store.ts';
import { packageStatuses } from './tables.ts';

export const PackagePipeline = entity('PackagePipeline', {
  ...PipelineBasic.properties,
  user: nullable(BasicUser),
});
export type PackagePipelineEntity = Static<typeof PackagePipeline>;

const PackageTag = Type.Object({
  id: Type.Integer(),
  package_id: Type.Integer(),
  name: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
});

const fields = {
  id: Type.Integer(),
  name: Type.String(),
  version: nullable(Type.String()),
  package_type: Type.String(),
  status: Type.String(),
  /** Only with the status `error`. As in GraphQL; GitLab's REST API omits it. */
  status_message: Type.Optional(nullable(Type.String())),
  _links: Type.Object({ web_path: Type.String(), delete_api_path: Type.Optional(Type.String()) }),
  created_at: timestamp(),
  /** First publisher. Not part of GitLab's API; used by the web pages. */
  creator: nullable(BasicUser),
  last_downloaded_at: nullable(timestamp()),
  project_id: Type.Optional(Type.Integer()),
  project_path: Type.Optional(Type.String()),
  tags: Type.Array(PackageTag),
  pipeline: Type.Optional(PackagePipeline),
  pipelines: Type.Array(PackagePipeline),
};
export const Package = entity('Package', fields);
export const PackageDetail = entity('PackageDetail', {
  ...fields,
  versions: Type.Array(
    Type.Object({
      id: Type.Integer(),
      version: nullable(Type.String()),
      created_at: timestamp(),
      tags: Type.Array(PackageTag),
      pipelines: Type.Array(PackagePipeline),
    }),
  ),
});
export type PackageEntity = Static<typeof Package>;
export type PackageDetailEntity = Static<typeof PackageDetail>;

const file = {
  id: Type.Integer(),
  package_id: Type.Integer(),
  created_at: timestamp(),
  file_name: Type.String(),
  size: Type.Integer(),
  file_md5: Type.String(),
  file_sha1: Type.String(),
  file_sha256: Type.String(),
};
export const PackageFile = entity('PackageFile', { ...file, pipelines: Type.Array(PackagePipeline) });
export type PackageFileEntity = Static<typeof PackageFile>;
/** Response to a publication: the file if requested, otherwise a message. */
export const Published = entity('PublishedPackageFile', {
  message: Type.Optional(Type.String()),
  ...Type.Partial(
    Type.Object({
      ...file,
      updated_at: timestamp(),
      status: Type.String(),
      file_store: Type.Integer(),
      file: Type.Object({ url: Type.String() }),
    }),
  ).properties,
});
export type PublishedEntity = Static<typeof Published>;

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const group = { id: required(param.string({ description: 'ID or URL-encoded path of the group' })) };
export const status = param.oneOf(packageStatuses);
export const listing = {
  ...project,
  ...orderParams(packageList.orders, 'created_at', 'asc'),
  ...packageList.params,
  status,
};
export type ListingParams = ParamsOf<typeof listing>;
export const onePackage = { ...project, package_id: required(param.integer()) };
export const fileListing = {
  ...onePackage,
  order_by: withDefault(param.oneOf(fileOrders), 'id'),
  sort: withDefault(param.oneOf(['asc', 'desc']), 'asc'),
};
export const oneFile = { ...onePackage, package_file_id: required(param.integer()) };

export const genericFile = {
  ...project,
  package_name: required(param.string()),
  package_version: required(param.string()),
  '*': required(param.string({ description: 'File name, optionally within folders' })),
};
export const publishing = {
  ...genericFile,
  status: param.oneOf(['default', 'hidden']),
  select: param.oneOf(['package_file'], { description: 'Return the file in the response' }),
};
export type GenericFileParams = ParamsOf<typeof genericFile>;
export type PublishingParams = ParamsOf<typeof publishing>;

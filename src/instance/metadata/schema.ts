import Type from 'typebox';
import { entity, nullable } from '../../platform/http/schema.ts';

export const Metadata = entity('Metadata', {
  version: Type.String(),
  revision: Type.String(),
  kas: Type.Object({
    enabled: Type.Boolean(),
    externalUrl: nullable(Type.String()),
    externalK8sProxyUrl: nullable(Type.String()),
    version: nullable(Type.String()),
  }),
  enterprise: Type.Boolean(),
});

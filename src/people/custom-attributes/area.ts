import type { Area } from '../../access/area.ts';
import { customAttributeRoutes } from './routes.ts';

export const customAttributes: Area = {
  name: 'custom-attributes',
  routes: customAttributeRoutes,
};

import type { Area } from '../../access/area.ts';
import { idTokenVariables } from './variables.ts';

export const idTokens: Area = {
  name: 'ID tokens',
  contributes: { 'variables.tokens': idTokenVariables },
};

import type { Area } from '../../access/area.ts';
import { transferAwards } from './service.ts';

export const awardEmoji: Area = { name: 'award-emoji', on: { 'user.removed': transferAwards } };

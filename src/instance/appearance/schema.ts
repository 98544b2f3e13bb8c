import Type from 'typebox';
import { appearanceTexts } from '../../access/appearance.ts';
import { type ParamMap, param } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

/** Pictures are told of as clients expect, and there are none. */
export const pictures = ['logo', 'header_logo', 'favicon', 'pwa_icon'] as const;

export const ApplicationAppearance = entity('ApplicationAppearance', {
  ...Object.fromEntries(appearanceTexts.map((name) => [name, Type.String()])),
  ...Object.fromEntries(pictures.map((name) => [name, nullable(Type.String())])),
  email_header_and_footer_enabled: Type.Boolean(),
});

export const change: ParamMap = {
  ...Object.fromEntries(appearanceTexts.map((name) => [name, param.string()])),
  email_header_and_footer_enabled: param.boolean(),
};
export const names = Object.keys(change);

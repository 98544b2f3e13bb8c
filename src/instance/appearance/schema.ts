import Type from 'typebox';
import { appearancePictures, appearanceTexts } from '../../access/appearance.ts';
import { nullable as orNull, type ParamMap, param } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

export const ApplicationAppearance = entity('ApplicationAppearance', {
  ...Object.fromEntries(appearanceTexts.map((name) => [name, Type.String()])),
  ...Object.fromEntries(appearancePictures.map((name) => [name, nullable(Type.String())])),
  email_header_and_footer_enabled: Type.Boolean(),
});

export const change: ParamMap = {
  ...Object.fromEntries(appearanceTexts.map((name) => [name, param.string()])),
  email_header_and_footer_enabled: param.boolean(),
  ...Object.fromEntries(appearancePictures.map((name) => [name, orNull(param.file())])),
};
export const names = Object.keys(change);

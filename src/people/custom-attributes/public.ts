export { attributeParams, CustomAttribute, type CustomAttributeEntity } from './schema.ts';
export { customAttributesOf, forgetAttributes, hasAttributes, type Pairs } from './service.ts';

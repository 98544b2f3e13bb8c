export { attributeParams, CustomAttribute, type CustomAttributeEntity } from './schema.ts';
export { customAttributesOf, hasAttributes, type Pairs } from './service.ts';

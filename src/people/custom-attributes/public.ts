export { attributeParams, CustomAttribute, type CustomAttributeEntity } from './schema.ts';
export { customAttributesOf } from './service.ts';
export { hasAttributes, type Pairs } from './store.ts';

import {
  FieldsOnCorrectTypeRule,
  GraphQLError,
  KnownArgumentNamesRule,
  ProvidedRequiredArgumentsRule,
  recommendedRules,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';

// Clients of GitLab recognize from these messages and codes that a server does not know a field, and retry without it.

const knownFields: ValidationRule = (context: ValidationContext) => ({
  Field(node) {
    const type = context.getParentType();
    if (!type || context.getFieldDef()) return;
    const fieldName = node.name.value;
    const extensions = { code: 'undefinedField', typeName: type.name, fieldName };
    const text = `Field '${fieldName}' doesn't exist on type '${type.name}'`;
    context.reportError(new GraphQLError(text, { nodes: node, extensions }));
  },
});

const knownArguments: ValidationRule = (context: ValidationContext) => ({
  Argument(node) {
    const [field, type] = [context.getFieldDef(), context.getParentType()];
    if (context.getDirective() || context.getArgument() || !field || !type) return;
    const argumentName = node.name.value;
    const extensions = { code: 'argumentNotAccepted', name: field.name, typeName: 'Field', argumentName };
    const text = `Field '${field.name}' doesn't accept argument '${argumentName}'`;
    context.reportError(new GraphQLError(text, { nodes: node, extensions }));
  },
});

const requiredArguments: ValidationRule = (context: ValidationContext) => ({
  Field: {
    leave(node) {
      const field = context.getFieldDef();
      if (!field) return;
      const provided = new Set((node.arguments ?? []).map(({ name }) => name.value));
      const missing = field.args.filter((each) => String(each.type).endsWith('!') && each.default === undefined);
      const absent = missing.map(({ name }) => name).filter((name) => !provided.has(name));
      if (absent.length === 0) return;
      const extensions = { code: 'missingRequiredArguments', className: 'Field', name: field.name };
      const text = `Field '${field.name}' is missing required arguments: ${absent.join(', ')}`;
      context.reportError(new GraphQLError(text, { nodes: node, extensions }));
    },
  },
});

const replacements = new Map<ValidationRule, ValidationRule>([
  [FieldsOnCorrectTypeRule, knownFields],
  [KnownArgumentNamesRule, knownArguments],
  [ProvidedRequiredArgumentsRule, requiredArguments],
]);

/** The validation rules, including the recommended limit on introspection. */
export const rules: readonly ValidationRule[] = [...new Set([...specifiedRules, ...recommendedRules])].map(
  (rule) => replacements.get(rule) ?? rule,
);

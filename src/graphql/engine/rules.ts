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

// Clients of GitLab tell by these texts and codes that a server does not know a field yet, and ask without it.

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
      const given = new Set((node.arguments ?? []).map(({ name }) => name.value));
      const missing = field.args.filter((each) => String(each.type).endsWith('!') && each.default === undefined);
      const absent = missing.map(({ name }) => name).filter((name) => !given.has(name));
      if (absent.length === 0) return;
      const extensions = { code: 'missingRequiredArguments', className: 'Field', name: field.name };
      const text = `Field '${field.name}' is missing required arguments: ${absent.join(', ')}`;
      context.reportError(new GraphQLError(text, { nodes: node, extensions }));
    },
  },
});

const inOwnWords = new Map<ValidationRule, ValidationRule>([
  [FieldsOnCorrectTypeRule, knownFields],
  [KnownArgumentNamesRule, knownArguments],
  [ProvidedRequiredArgumentsRule, requiredArguments],
]);

/** What a query must keep to, and the recommended bound on what it asks about the schema. */
export const rules: readonly ValidationRule[] = [...new Set([...specifiedRules, ...recommendedRules])].map(
  (rule) => inOwnWords.get(rule) ?? rule,
);

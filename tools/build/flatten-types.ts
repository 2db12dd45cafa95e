/**
 * Declares a module's exports without any of its imports. The compiler's checker evaluates every type, so published types
 * are flat interfaces that need neither the workspace nor the libraries from which they are inferred.
 */
import { globSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript-5'
import type { DescriptionSource, JsonSchema } from './descriptions.ts'
import { descriptionOf, inOrderOf, partOf, schemaOf } from './descriptions.ts'

interface FlattenOptions {
  /** The module whose exports are declared. */
  readonly entry: string
  /** Its project, for the compiler options. */
  readonly tsconfig: string
  /** Packages whose types remain imports. */
  readonly external?: readonly string[]
  /** The schemas behind inferred types, which describe their fields. */
  readonly descriptions?: DescriptionSource
}

interface FlatTypes {
  /** The text of a declaration file. */
  readonly text: string
  /** The files from which it was made. */
  readonly files: readonly string[]
}

/** @throws Error naming a type from a library that is not published with the package. */
export function flattenTypes({ entry, tsconfig, external = [], descriptions }: FlattenOptions): FlatTypes {
  const { config } = ts.readConfigFile(tsconfig, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(tsconfig))
  const program = ts.createProgram([entry], { ...options, noEmit: true })
  const source = program.getSourceFile(entry)
  if (source === undefined) throw new Error(`${entry} is not there`)
  const text = new Flattener(program, external, descriptions).module(source)
  const own = globSync('*.ts', { cwd: import.meta.dirname }).map((file) => join(import.meta.dirname, file))
  return { text, files: [...program.getSourceFiles().map(({ fileName }) => fileName), tsconfig, ...own] }
}

/** The depth of the printer, and the schema that describes the type. */
interface Place {
  readonly indent: string
  readonly schema: JsonSchema | undefined
}

class Flattener {
  private readonly program: ts.Program
  private readonly checker: ts.TypeChecker
  private readonly external: readonly string[]
  private readonly descriptions: DescriptionSource | undefined
  /** Names of the types that the module exports. */
  private readonly names = new Map<ts.Type, string>()
  /** The same types by text, for types that the checker created twice. */
  private readonly texts = new Map<string, string>()
  private readonly exported = new Map<string, ts.Symbol>()
  /** Types that exports need but the module does not export. */
  private readonly hoisted = new Map<string, ts.Symbol>()
  private readonly imports = new Map<string, Set<string>>()

  constructor(program: ts.Program, external: readonly string[], descriptions: DescriptionSource | undefined) {
    this.program = program
    this.checker = program.getTypeChecker()
    this.external = external
    this.descriptions = descriptions
  }

  module(source: ts.SourceFile): string {
    const symbol = this.checker.getSymbolAtLocation(source)
    if (symbol === undefined) throw new Error(`${source.fileName} exports nothing`)
    for (const exported of this.checker.getExportsOfModule(symbol)) {
      this.exported.set(exported.name, this.resolved(exported))
    }
    const types = [...this.exported].filter(([, { flags }]) => flags & ts.SymbolFlags.Type)
    for (const [name, symbol] of types) {
      const type = this.checker.getDeclaredTypeOfSymbol(symbol)
      if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Union) && !this.names.has(type)) {
        this.names.set(type, name)
      }
    }
    for (const [name, symbol] of types) {
      const text = this.body(symbol)
      if (text.startsWith('{') && !this.texts.has(text)) this.texts.set(text, name)
    }
    const declarations = [...this.exported].map(([name, symbol]) => this.declaration(name, symbol, 'export '))
    // Hoisted types may hoist more types.
    for (const [name, symbol] of this.hoisted) declarations.push(this.declaration(name, symbol, ''))
    const imports = [...this.imports].map(
      ([from, names]) => `import type { ${[...names].sort().join(', ')} } from '${from}'`,
    )
    // Without this line, TypeScript would export every declaration.
    return `${[...imports, ...declarations, 'export {}'].join('\n\n')}\n`
  }

  private resolved(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol
  }

  private declaration(name: string, symbol: ts.Symbol, keyword: string): string {
    const doc = docOf(symbol, '')
    if (symbol.flags & ts.SymbolFlags.Type) {
      const body = this.body(symbol)
      const isUnion = this.checker.getDeclaredTypeOfSymbol(symbol).isUnion()
      const head = body.startsWith('{') && !isUnion ? `interface ${name} ` : `type ${name} = `
      return `${doc}${keyword}${head}${body}`
    }
    const type = this.checker.getTypeOfSymbol(symbol)
    if (symbol.flags & ts.SymbolFlags.Function) {
      const signatures = type.getCallSignatures().map((signature) => this.signature(signature, ': ', TOP))
      return `${doc}${signatures.map((text) => `${keyword}declare function ${name}${text}`).join('\n')}`
    }
    return `${doc}${keyword}declare const ${name}: ${this.type(type, TOP)}`
  }

  /** The declaration of a named type. */
  private body(symbol: ts.Symbol): string {
    const alias = symbol.declarations?.find(ts.isTypeAliasDeclaration)
    const source = this.descriptions
    const schema = alias && source ? schemaOf(alias.type, source, (node) => this.aliased(node)) : undefined
    const type = this.checker.getDeclaredTypeOfSymbol(symbol)
    const place = { indent: '', schema }
    return type.isUnion() ? this.union(type, place, type) : this.expanded(type, place)
  }

  /** The right-hand side of the alias that a type names. */
  private aliased(name: ts.EntityName): ts.TypeNode | undefined {
    const symbol = this.checker.getSymbolAtLocation(name)
    return symbol && this.resolved(symbol).declarations?.find(ts.isTypeAliasDeclaration)?.type
  }

  /** A type by its name if it has one, otherwise in full. */
  private type(type: ts.Type, place: Place): string {
    const name = this.names.get(type) ?? this.reference(type, place)
    if (name !== undefined) return name
    const text = this.expanded(type, place)
    return this.texts.get(this.expanded(type, { ...place, indent: '' })) ?? text
  }

  private reference(type: ts.Type, place: Place): string | undefined {
    const { aliasSymbol, aliasTypeArguments, symbol } = type
    if (aliasSymbol && !aliasTypeArguments && this.isOurs(aliasSymbol)) return this.hoist(aliasSymbol)
    if (!symbol || !(symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class))) return undefined
    if (this.checker.isArrayLikeType(type)) return undefined
    const args = this.checker.getTypeArguments(type as ts.TypeReference)
    const given = this.withoutDefaults(type as ts.TypeReference, args)
    const list = given.length === 0 ? '' : `<${given.map((arg) => this.type(arg, place)).join(', ')}>`
    if (this.isOfPlatform(symbol)) return `${symbol.name}${list}`
    if (!this.isOurs(symbol)) return `${this.importOf(symbol)}${list}`
    if (list !== '') throw new Error(`${symbol.name}${list} has type parameters, and cannot be flattened`)
    return this.hoist(symbol)
  }

  /** Type arguments without trailing ones that equal their parameter's default. */
  private withoutDefaults({ target }: ts.TypeReference, args: readonly ts.Type[]): readonly ts.Type[] {
    const parameters = target?.typeParameters ?? []
    const isDefault = (arg: ts.Type, i: number) => {
      const parameter = parameters[i]
      return parameter !== undefined && this.checker.getDefaultFromTypeParameter(parameter) === arg
    }
    return args.slice(0, args.findLastIndex((arg, i) => !isDefault(arg, i)) + 1)
  }

  private hoist(symbol: ts.Symbol): string {
    const { name } = symbol
    const known = this.exported.get(name) ?? this.hoisted.get(name)
    if (known === undefined) this.hoisted.set(name, symbol)
    else if (known !== symbol) throw new Error(`two types are named ${name}`)
    return name
  }

  private isOfPlatform(symbol: ts.Symbol): boolean {
    return filesOf(symbol).some((file) => this.program.isSourceFileDefaultLibrary(file))
  }

  private isOurs(symbol: ts.Symbol): boolean {
    return filesOf(symbol).every((file) => !file.fileName.includes('/node_modules/'))
  }

  private importOf(symbol: ts.Symbol): string {
    const [file] = filesOf(symbol)
    const from = this.external.find((name) => file?.fileName.includes(`/node_modules/${name.split('/')[0]}/`))
    if (from === undefined) {
      throw new Error(`${symbol.name} of ${relative('.', file?.fileName ?? '')} would be published`)
    }
    const names = this.imports.get(from) ?? new Set()
    this.imports.set(from, names.add(symbol.name))
    return symbol.name
  }

  private expanded(type: ts.Type, place: Place): string {
    if (type.isUnion()) return this.union(type, place)
    if (type.isIntersection() && type.types.some((part) => !(part.flags & ts.TypeFlags.Object))) {
      return type.types.map((part) => this.type(part, place)).join(' & ')
    }
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return this.primitive(type)
    if (this.checker.isTupleType(type)) return this.tuple(type as ts.TupleTypeReference, place)
    if (this.checker.isArrayType(type)) return this.array(type as ts.TypeReference, place)
    return this.object(type, place)
  }

  private primitive(type: ts.Type): string {
    if (type.isStringLiteral()) return `'${type.value.replaceAll("'", "\\'")}'`
    if (type.flags & ts.TypeFlags.TypeParameter)
      throw new Error(`the type parameter ${type.symbol.name} is open`)
    return this.checker.typeToString(type)
  }

  /**
   * A union in which an exported list of words replaces these words.
   *
   * @param declared what is being declared: it cannot be defined by its own name.
   */
  private union({ types }: ts.UnionType, place: Place, declared?: ts.Type): string {
    for (const [words, name] of this.names) {
      if (
        words === declared ||
        !words.isUnion() ||
        !words.types.every((word) => word.isStringLiteral() && types.includes(word))
      )
        continue
      const others = types.filter((type) => !words.types.includes(type))
      return [name, ...(others.length === 0 ? [] : [this.members(others, place)])].join(' | ')
    }
    return this.members(types, place)
  }

  /** `undefined` and `null` come last, and both booleans are `boolean`. */
  private members(types: readonly ts.Type[], place: Place): string {
    const booleans = types.filter(({ flags }) => flags & ts.TypeFlags.BooleanLiteral)
    const others = types.filter((type) => booleans.length < 2 || !booleans.includes(type))
    const isNullish = ({ flags }: ts.Type) => (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null)) !== 0
    const texts = [
      ...others.filter((type) => !isNullish(type)).map((type) => this.type(type, place)),
      ...(booleans.length < 2 ? [] : ['boolean']),
      ...others.filter(isNullish).map((type) => this.primitive(type)),
    ]
    return [...new Set(texts)].map((text) => (text.includes('=>') ? `(${text})` : text)).join(' | ')
  }

  private array(type: ts.TypeReference, { indent, schema }: Place): string {
    const [element] = this.checker.getTypeArguments(type)
    if (element === undefined) throw new Error('an array without a type')
    const text = this.type(element, { indent, schema: partOf(schema, 'items') })
    const isOne = /^\w+$/.test(text) || (!element.isUnion() && text.startsWith('{'))
    return `${type.symbol.name === 'ReadonlyArray' ? 'readonly ' : ''}${isOne ? text : `(${text})`}[]`
  }

  private tuple(type: ts.TupleTypeReference, place: Place): string {
    const elements = this.checker.getTypeArguments(type).map((element) => this.type(element, place))
    return `${type.target.readonly ? 'readonly ' : ''}[${elements.join(', ')}]`
  }

  private object(type: ts.Type, place: Place): string {
    const properties = inOrderOf(place.schema, this.checker.getPropertiesOfType(type))
    const calls = type.getCallSignatures()
    const [call] = calls
    if (call && calls.length === 1 && properties.length === 0) return this.signature(call, ' => ', place)
    const { indent, schema } = place
    const inner = `${indent}  `
    const indexes = this.checker.getIndexInfosOfType(type)
    const [index] = indexes
    if (index && indexes.length === 1 && properties.length + calls.length === 0) {
      const value = this.type(index.type, { indent, schema: partOf(schema, 'additionalProperties') })
      const record = `Record<${this.type(index.keyType, place)}, ${value}>`
      return index.isReadonly ? `Readonly<${record}>` : record
    }
    const members = [
      ...calls.map((signature) => `${inner}${this.signature(signature, ': ', { indent: inner, schema })}`),
      ...indexes.map(
        ({ keyType, type }) => `${inner}[key: ${this.type(keyType, place)}]: ${this.type(type, place)}`,
      ),
      ...properties.map((property) => this.property(property, type, { indent: inner, schema })),
    ]
    return members.length === 0 ? '{}' : `{\n${members.join('\n')}\n${indent}}`
  }

  private property(property: ts.Symbol, owner: ts.Type, { indent, schema }: Place): string {
    const field = partOf(schema, 'properties', property.name, this.checker.getPropertiesOfType(owner))
    const words = field && this.descriptions ? descriptionOf(field, this.descriptions) : ''
    const doc = docOf(property, indent) || (words === '' ? '' : `${indent}/** ${words} */\n`)
    const name = /^[A-Za-z_$][\w$]*$/.test(property.name) ? property.name : `'${property.name}'`
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0
    const head = `${doc}${indent}${isReadonly(property) ? 'readonly ' : ''}${name}${isOptional ? '?' : ''}`
    const type = this.checker.getTypeOfSymbol(property)
    const place = { indent, schema: field }
    if (property.flags & ts.SymbolFlags.Method) {
      const signatures = this.checker.getNonNullableType(type).getCallSignatures()
      return signatures.map((signature) => `${head}${this.signature(signature, ': ', place)}`).join('\n')
    }
    return `${head}: ${isOptional ? this.optional(type, place) : this.type(type, place)}`
  }

  /** The type of an optional property, without the `undefined` that its question mark stands for. */
  private optional(type: ts.Type, place: Place): string {
    if (!type.isUnion()) return this.type(type, place)
    const written = type.types.filter(
      (part) => !(part.flags & ts.TypeFlags.Undefined) || part === this.checker.getUndefinedType(),
    )
    const isMissing = written.length < type.types.length
    const given = isMissing ? this.checker.getNonNullableType(type) : type
    // The remaining union has a name only if nothing but `undefined` was removed.
    const hasName = isMissing && !type.types.some(({ flags }) => flags & ts.TypeFlags.Null)
    return hasName ? this.type(given, place) : this.members(written, place)
  }

  private signature(signature: ts.Signature, arrow: string, place: Place): string {
    const parameters = signature.getParameters().map((parameter) => {
      const declaration = parameter.valueDeclaration as ts.ParameterDeclaration
      const isOptional = this.checker.isOptionalParameter(declaration)
      const type = this.checker.getTypeOfSymbol(parameter)
      const given = isOptional ? this.checker.getNonNullableType(type) : type
      const rest = declaration.dotDotDotToken ? '...' : ''
      return `${rest}${parameter.name}${isOptional ? '?' : ''}: ${this.type(given, place)}`
    })
    return `(${parameters.join(', ')})${arrow}${this.type(signature.getReturnType(), place)}`
  }
}

const TOP: Place = { indent: '', schema: undefined }

function filesOf(symbol: ts.Symbol): readonly ts.SourceFile[] {
  return (symbol.declarations ?? []).map((declaration) => declaration.getSourceFile())
}

/** The comment of a declaration, verbatim. */
function docOf(symbol: ts.Symbol, indent: string): string {
  const [declaration] = symbol.declarations ?? []
  if (declaration === undefined) return ''
  const docs = ts.getJSDocCommentsAndTags(declaration).filter(ts.isJSDoc)
  return docs.map((doc) => `${indent}${doc.getText().replace(/\n\s*\*/g, `\n${indent} *`)}\n`).join('')
}

/** For mapped types, only the checker's internals show this. */
const READONLY_MAPPED = 8

function isReadonly(property: ts.Symbol): boolean {
  const { links } = property as { links?: { readonly checkFlags?: number } }
  if (links?.checkFlags !== undefined && links.checkFlags & READONLY_MAPPED) return true
  return (property.declarations ?? []).some(
    (declaration) => (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Readonly) !== 0,
  )
}

/** The fields of a record by which a `filter` may select it. Decisions: filters. */

/** A kind of field: a value, a map with uniform entries, an object, or a list of objects. */
export type Field =
  | 'text'
  | 'number'
  | 'bool'
  | 'list'
  | { readonly map: Field }
  | { readonly object: Shape }
  | { readonly objects: Shape }

/** Fields by their names. */
export interface Shape {
  readonly [name: string]: Field
}

/**
 * The shape of a record of type `T`: the compiler checks that each field exists and has the kind of its type. Filters
 * cannot use omitted fields.
 */
export type ShapeOf<T> = { readonly [K in keyof T]?: FieldOf<NonNullable<T[K]>> }

type FieldOf<V> = unknown extends V
  ? Field
  : V extends string
    ? 'text'
    : V extends number
      ? 'number'
      : V extends boolean
        ? 'bool'
        : V extends readonly string[]
          ? 'list'
          : V extends readonly (infer E)[]
            ? { readonly objects: ShapeOf<E> }
            : string extends keyof V
              ? { readonly map: FieldOf<V[keyof V]> } | JsonObject<V[keyof V]>
              : { readonly object: ShapeOf<V> }

/** The compiler does not know the fields of an object that is stored as JSON. */
type JsonObject<V> = unknown extends V ? { readonly object: Shape } : never

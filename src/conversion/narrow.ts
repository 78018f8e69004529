import { anything, type Shape } from "./shape.ts";

/** The shape of what has a place and the right type in both of two shapes; the first one itself where the second takes all of it. */
export function narrowed(shape: Shape, other: Shape): Shape {
  if (shape === other || other === anything) return shape;
  if (shape === anything) return other;
  const takes = shape.takes & other.takes;
  const nullable = shape.nullable && other.nullable;
  const items = bothOf(shape.items ?? anything, other.items ?? anything);
  const [others, elsewhere] = [othersIn(shape), bothOf(othersIn(shape), othersIn(other))];
  const properties = narrowedProperties(shape, other, elsewhere);
  const isSame =
    takes === shape.takes &&
    nullable === shape.nullable &&
    items === (shape.items ?? anything) &&
    elsewhere === others &&
    properties === shape.properties;
  if (isSame) return shape;
  const itemShape = items === anything ? undefined : items;
  return { ...shape, takes, nullable, properties, items: itemShape, additional: elsewhere, preserved: false };
}

/** Dotted names, leading through lists, of the fields of a shape that another one has no place for, or not for all their types. */
export function fieldsOutside(shape: Shape, other: Shape): readonly string[] {
  const inside = narrowed(shape, other);
  return inside === shape ? [] : lostFields(shape, inside, "");
}

function lostFields(shape: Shape, inside: Shape, path: string): readonly string[] {
  if (shape === inside) return [];
  const lost = [...shape.properties].flatMap(([name, field]) => {
    const left = placeIn(inside, name);
    const here = path === "" ? name : `${path}.${name}`;
    return left === undefined ? [here] : lostFields(field, left, here);
  });
  const rest = [
    ...within(othersIn(shape), othersIn(inside), path),
    ...within(shape.items, inside.items, path),
  ];
  const found = [...lost, ...rest];
  // Nothing below is lost, so it is this field that takes fewer values.
  return found.length > 0 ? found : [path];
}

function within(shape: Shape | undefined, inside: Shape | undefined, path: string): readonly string[] {
  if (shape === undefined || shape === inside) return [];
  return inside === undefined ? [path] : lostFields(shape, inside, path);
}

function narrowedProperties(shape: Shape, other: Shape, elsewhere: Shape | undefined): Shape["properties"] {
  const kept = new Map<string, Shape>();
  let isSame = true;
  for (const [name, field] of shape.properties) {
    const both = bothOf(field, placeIn(other, name));
    if (both !== undefined) kept.set(name, both);
    if (both !== field) isSame = false;
  }
  for (const [name, field] of other.properties) {
    if (shape.properties.has(name)) continue;
    const both = bothOf(othersIn(shape), field);
    if (both === undefined || both === elsewhere) continue;
    kept.set(name, both);
    isSame = false;
  }
  return isSame ? shape.properties : kept;
}

function bothOf(shape: Shape, other: Shape): Shape;
function bothOf(shape: Shape | undefined, other: Shape | undefined): Shape | undefined;
function bothOf(shape: Shape | undefined, other: Shape | undefined): Shape | undefined {
  return shape === undefined || other === undefined ? undefined : narrowed(shape, other);
}

/** The shape of the value under a name; undefined where there is no place for it. */
export function placeIn(shape: Shape, name: string): Shape | undefined {
  return shape.properties.get(name) ?? othersIn(shape);
}

/** The shape of values under names that a shape does not list; undefined where there is no place for them. */
function othersIn({ additional, preserved }: Shape): Shape | undefined {
  return additional ?? (preserved ? anything : undefined);
}

/** A shape without the field of a path that leads through lists; the very same shape where it has no such field. */
export function withoutField(shape: Shape, path: readonly string[]): Shape {
  const [name = "", ...rest] = path;
  if (shape.items !== undefined) {
    const items = withoutField(shape.items, path);
    return items === shape.items ? shape : { ...shape, items };
  }
  const field = shape.properties.get(name);
  if (field === undefined) return shape;
  const left = rest.length === 0 ? undefined : withoutField(field, rest);
  if (left === field) return shape;
  const others = [...shape.properties].filter(([each]) => each !== name);
  const properties = new Map(left === undefined ? others : [...others, [name, left] as const]);
  return { ...shape, properties };
}

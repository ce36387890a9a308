//! Names from other files: imports, barrels, namespaces, defaults, CommonJS.

use super::{Sources, check};
use crate::link::exported_symbol;

#[test]
fn imports_and_renames() {
    check(
        "
//- lib.ts
export function one() {}
function two() {}
export { two as second }
export const three = () => {}
export class Four {}
export default function five() {}
//- use.ts
import five, { one, second, three as trois, Four } from './lib'
import { default as cinq } from './lib'
import * as lib from './lib'
import type { Four as Vier } from './lib'
one() //: lib.ts#one import
second() //: lib.ts#two import
trois() //: lib.ts#three import
five() //: lib.ts#five import
cinq() //: lib.ts#five import
new Four() //: lib.ts#Four new_expression
lib.one() //: lib.ts#one import
lib.second() //: lib.ts#two import
lib.default() //: lib.ts#five import
new lib.Four() //: lib.ts#Four new_expression
lib['three']() //: lib.ts#three import
lib?.one?.() //: lib.ts#one import
lib[`one`]()
lib.two()
lib.missing()
",
    );
}

#[test]
fn barrels_chains_and_circles() {
    check(
        "
//- deep/a.ts
export function alpha() {}
export function beta() {}
export default class Main { start() {} }
//- deep/index.ts
export * from './a'
export { default } from './a'
export { default as Main } from './a'
export * as inner from './a'
//- barrel.ts
export * from './deep/index'
export { alpha as first } from './deep'
import { beta } from './deep'
export { beta as viaLocal }
export * from './circle'
//- circle.ts
export * from './barrel'
export function around() {}
//- use.ts
import { alpha, first, viaLocal, around, inner, Main } from './barrel'
import * as all from './barrel'
import Default from './deep'
alpha() //: deep/a.ts#alpha import
first() //: deep/a.ts#alpha import
viaLocal() //: deep/a.ts#beta import
around() //: circle.ts#around import
inner.beta() //: deep/a.ts#beta import
all.inner.beta() //: deep/a.ts#beta import
all.around() //: circle.ts#around import
new Main().start() //: deep/a.ts#Main.start new_expression, deep/a.ts#Main new_expression
new Default() //: deep/a.ts#Main new_expression
",
    );
}

#[test]
fn ambiguous_and_missing_exports_prove_nothing() {
    check(
        "
//- a.ts
export function same() {}
export function only() {}
//- b.ts
export function same() {}
//- barrel.ts
export * from './a'
export * from './b'
export * from 'somewhere'
//- own.ts
export * from './a'
export function same() {}
//- use.ts
import { same, only, gone } from './barrel'
import { same as mine } from './own'
import external from 'external'
import { lost } from './nowhere'
same()
only() //: a.ts#only import
gone()
mine() //: own.ts#same import
external()
lost()
",
    );
}

#[test]
fn default_expressions() {
    check(
        "
//- anonymous.ts
export default () => {}
//- named.ts
const made = () => {}
export default made
//- object.ts
export default { run() {} }
//- instance.ts
class Service { go() {} }
export default new Service() //: Service new_expression
//- use.ts
import anonymous from './anonymous'
import named from './named'
import object from './object'
import service from './instance'
anonymous() //: anonymous.ts#anonymous import
named() //: named.ts#made import
object.run() //: object.ts#object.run object_literal
service.go() //: instance.ts#Service.go parameter_type
",
    );
}

#[test]
fn commonjs() {
    check(
        "
//- lib.js
function helper() {}
exports.direct = function () {}
exports.helper = helper
//- object.js
function a() {}
const b = () => {}
module.exports = { a, renamed: b }
//- single.js
class Tool { use() {} }
module.exports = Tool
//- use.js
const lib = require('./lib')
const { helper } = require('./lib')
const object = require('./object')
const { a, renamed: c } = require('./object')
const Tool = require('./single')
lib.helper() //: lib.js#helper import
helper() //: lib.js#helper alias
object.a() //: object.js#a alias
a() //: object.js#a alias
new Tool().use() //: single.js#Tool.use new_expression, single.js#Tool new_expression
function local(require) { return require('./lib').helper() }
",
    );
}

#[test]
fn commonjs_exports_that_are_declared_where_they_are_exported() {
    check(
        "
//- cursor.js
module.exports = class Cursor { move() {} }
//- make.js
module.exports = function () {}
//- parts.js
exports.Part = class Inner { use() {} }
module.exports.run = function named() {}
exports.arrow = () => {}
//- kinds.js
module.exports = { f: function () {}, g: () => {}, h() {} }
//- use.js
const Cursor = require('./cursor')
const make = require('./make')
const { Part, run, arrow } = require('./parts')
const { f, g, h } = require('./kinds')
new Cursor().move() //: cursor.js#Cursor.move new_expression, cursor.js#Cursor new_expression
make() //: make.js#make alias
new Part().use() //: parts.js#Part.use new_expression, parts.js#Part new_expression
run() //: parts.js#run alias
arrow() //: parts.js#arrow alias
f() //: kinds.js#f alias
g() //: kinds.js#g alias
h() //: kinds.js#h alias
",
    );
}

#[test]
fn a_type_that_jsdoc_states_goes_before_the_value() {
    check(
        "
//- map.js
class Lazy extends Map { get() {} own() {} }
/** @type {Map<string, Rule>} */
module.exports = new Lazy() //: Lazy new_expression
//- lib.js
class Plain { run() {} }
/** @type {Runner} */
const stated = new Plain() //: Plain new_expression
/** The one that runs. */
const free = new Plain() //: Plain new_expression
/** @type {Handler} */
const handle = () => {}
/** @type {Runner} */
export const exported = new Plain() //: Plain new_expression
exported.run()
stated.run()
free.run() //: Plain.run new_expression
handle() //: handle same_file
//- use.js
const map = require('./map')
map.get()
map.own()
",
    );
}

#[test]
fn dynamic_import() {
    check(
        "
//- lib.ts
export function late() {}
export default function main() {}
//- use.ts
export async function a() {
  const { late } = await import('./lib')
  late() //: lib.ts#late alias
  const lib = await import('./lib')
  lib.late() //: lib.ts#late import
  lib.default() //: lib.ts#main import
  ;(await import('./lib')).late() //: lib.ts#late import
  import('./lib').then(m => m.late()) //: lib.ts#late import
  import('./lib').then(({ late }) => late()) //: lib.ts#late alias
}
",
    );
}

#[test]
fn import_equals_and_export_equals() {
    check(
        "
//- lib.ts
class Engine { start() {} }
export = Engine
//- space.ts
export namespace Outer { export namespace Deep { export function call() {} } }
//- use.ts
import Engine = require('./lib')
import { Outer } from './space'
import Deep = Outer.Deep
new Engine().start() //: lib.ts#Engine.start new_expression, lib.ts#Engine new_expression
Outer.Deep.call() //: space.ts#Outer.Deep.call import
Deep.call() //: space.ts#Outer.Deep.call import
",
    );
}

#[test]
fn jsx_components() {
    check(
        "
//- parts.tsx
export function Card(p: { t: string }) { return <b>{p.t}</b> }
export const Row = () => <i />
export default Card
//- use.tsx
import Main, { Card, Row } from './parts'
import * as parts from './parts'
const Local = () => <Card t='x' /> //: parts.tsx#Card jsx
export const a = <Row></Row> //: parts.tsx#Row jsx
export const b = <parts.Row /> //: parts.tsx#Row jsx
export const c = <Local /> //: Local jsx
export const d = <Main t='x' /> //: parts.tsx#Card jsx
export const e = <card />
export function f(Card: any) { return <Card /> }
export const g = <ns:Row />
",
    );
}

#[test]
fn exported_symbols_and_consulted_files() {
    let sources = Sources::new(
        "
//- a.ts
export interface Shape {}
export class Shape {}
export type Id = string
//- b.ts
export * from './a'
export { Id as Key } from './a'
//- c.ts
import { Shape } from './b'
new Shape()
//- d.ts
export const nothing = 1
",
    );
    let named = |name| {
        let targets = exported_symbol(&sources, sources.file("b.ts"), name);
        targets.into_iter().map(|target| sources.name(target.file, target)).collect::<Vec<_>>()
    };
    assert_eq!(named("Shape"), ["Shape", "Shape"]);
    assert_eq!(named("Key"), ["Id"]);
    assert_eq!(named("None"), Vec::<String>::new());
    assert_eq!(sources.consulted("c.ts"), ["a.ts", "b.ts"]);
    assert_eq!(sources.consulted("d.ts"), Vec::<&str>::new());
}

#[test]
fn files_that_had_no_part_in_an_edge_are_still_consulted() {
    let sources = Sources::new(
        "
//- empty.ts
export const unrelated = 1
//- barrel.ts
export * from './empty'
//- use.ts
import { absent } from './barrel'
absent()
",
    );
    assert_eq!(sources.consulted("use.ts"), ["empty.ts", "barrel.ts"], "either may get the name later");
}

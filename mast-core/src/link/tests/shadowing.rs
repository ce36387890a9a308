//! A local name never means an import or an outer declaration of the same spelling.

use super::check;

#[test]
fn parameters_shadow() {
    check(
        "
//- lib.ts
export function push(n: number) { return n }
export function pull(n: number) { return n }
//- use.ts
import { push, pull } from './lib'
export function plain() { return push(1) } //: lib.ts#push import
export function named(push: (n: number) => number) { return push(1) }
export const arrow = (push: any) => push(1)
export const bare = push => push(1)
export function rest(...push: any[]) { return (push as any)(1) }
export function optional(push?: any) { return push(1) }
export function defaulted(push = (n: number) => n) { return push(1) }
export function pattern({ push }: { push: (n: number) => number }) { return push(1) }
export function renamed({ give: push }: any) { return push(1) }
export function deep({ a: { b: [push] } }: any) { return push(1) }
export function inner(push: any) { return [1].map(n => push(n)) }
export function other(push: any) { return pull(push) } //: lib.ts#pull import
export class Box {
  constructor(push: any) { push(1) }
  method(push: any) { push(1) }
  set value(push: any) { push(1) }
}
export const object = { method(push: any) { push(1) } }
",
    );
}

#[test]
fn locals_shadow_from_the_start_of_their_scope() {
    check(
        "
//- lib.ts
export function run() {}
//- use.ts
import { run } from './lib'
export function before() {
  run() //: before.run same_file
  const run = () => {}
}
export function hoisted() {
  run() //: hoisted.run same_file
  function run() {}
}
export function variable() {
  if (Math.random()) { var run: any = 1 }
  run()
}
export function block() {
  { const run = (n: number) => n; run(1) } //: block.run same_file
  run() //: lib.ts#run import
}
export function klass() {
  class run {}
  new run() //: klass.run new_expression
}
export function conditional(flag: boolean) {
  if (flag) { let run: any = null; run() }
  run() //: lib.ts#run import
}
export function chosen(kind: number) {
  switch (kind) {
    case 1: const run: any = null; break
    default: run()
  }
  run() //: lib.ts#run import
}
",
    );
}

#[test]
fn loops_catch_and_expression_names_shadow() {
    check(
        "
//- lib.ts
export function step() {}
//- use.ts
import { step } from './lib'
export function of(list: any[]) { for (const step of list) step(); step() } //: lib.ts#step import
export function within(list: any) { for (const step in list) (step as any)() }
export function counted() { for (let step: any = 0; step < 3; step++) { step() } }
export function pairs(list: any[]) { for (const [step] of list) step() }
export function caught() { try { step() } catch (step: any) { step() } } //: lib.ts#step import
export const self = function step(n: number): any { return n ? step(n - 1) : 0 } //: self same_file
export const made = class step { static make(): step { return new step() } } //: made new_expression
export const label = () => { step: for (;;) { step(); break step } } //: lib.ts#step import
",
    );
}

#[test]
fn a_declaration_inside_itself() {
    check(
        "
//- a.ts
export function match(n: number): number {
  const match = ((k: number) => k + 1)
  return match(n) //: match.match same_file
}
export function recurse(n: number): number {
  return n ? recurse(n - 1) : 0 //: recurse same_file
}
function twice() { return twice.call(null) }
",
    );
}

#[test]
fn types_do_not_shadow_values_nor_values_types() {
    check(
        "
//- lib.ts
export function Shape() {}
export class Line { draw() {} }
//- use.ts
import { Shape, Line } from './lib'
export function a() {
  type Shape = string
  Shape() //: lib.ts#Shape import
}
export function b() {
  interface Shape { x: number }
  return (s: Shape) => Shape() //: lib.ts#Shape import
}
export function c(Line: number, line: Line) { line.draw() } //: lib.ts#Line.draw parameter_type
export function d<Line extends { draw(): void }>(line: Line) { line.draw() }
export function e<Shape>(x: Shape) { Shape() } //: lib.ts#Shape import
",
    );
}

#[test]
fn names_of_classes_namespaces_and_enums() {
    check(
        "
//- a.ts
export function go() {}
namespace Inner {
  export function go() {}
  go() //: Inner.go same_file
  function hidden() { go() } //: Inner.go same_file
}
namespace Inner {
  go() //: Inner.go same_file
}
go() //: go same_file
Inner.go() //: Inner.go same_file
enum Mode { go = 1, other = go }
export class Car {
  go() { go() } //: go same_file
  static go() { this.go() } //: Car.go this_method
  stop() { this.go() } //: Car.go this_method
}
",
    );
}

#[test]
fn broken_source_makes_its_names_doubtful() {
    check(
        "
//- lib.ts
export function save() {}
//- use.ts
import { save } from './lib'
save() //: lib.ts#save import
export function broken(a, = save) { save() }
",
    );
}

//! Walks through the expressions of a program.

use super::program::*;

impl Program {
    /// Calls `look` for every expression, inner ones too.
    pub fn each_expr(&self, look: &mut dyn FnMut(&Expr)) {
        for part in &self.parts {
            match part {
                Part::Sweep(sweep) => sweep.body.iter().for_each(|s| s.each_expr(look)),
                Part::Point { value, .. } => value.each(look),
                _ => {}
            }
        }
    }

    /// Calls `change` for every expression, in the order of [`Program::each_expr`].
    pub fn each_expr_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        for part in &mut self.parts {
            match part {
                Part::Sweep(sweep) => sweep.body.iter_mut().for_each(|s| s.each_expr_mut(change)),
                Part::Point { value, .. } => in_expr(value, change),
                _ => {}
            }
        }
    }
}

impl Stmt {
    /// Calls `look` for every expression, inner ones too.
    pub fn each_expr(&self, look: &mut dyn FnMut(&Expr)) {
        match self {
            Stmt::Let(_, value) | Stmt::Store { value, .. } | Stmt::Fold(_, value) => {
                value.each(look)
            }
            Stmt::If { when, then, other } => {
                when.each(look);
                then.iter().chain(other).for_each(|s| s.each_expr(look));
            }
        }
    }

    /// Calls `change` for every expression, in the order of [`Stmt::each_expr`].
    pub fn each_expr_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        match self {
            Stmt::Let(_, value) | Stmt::Store { value, .. } | Stmt::Fold(_, value) => {
                in_expr(value, change);
            }
            Stmt::If { when, then, other } => {
                in_cond(when, change);
                then.iter_mut().chain(other).for_each(|s| s.each_expr_mut(change));
            }
        }
    }

    /// Calls `change` for every place that is stored to.
    pub fn each_store_mut(&mut self, change: &mut dyn FnMut(&mut Place)) {
        match self {
            Stmt::Let(..) | Stmt::Fold(..) => {}
            Stmt::Store { place, .. } => change(place),
            Stmt::If { then, other, .. } => {
                then.iter_mut().chain(other).for_each(|s| s.each_store_mut(change));
            }
        }
    }
}

impl Expr {
    /// Calls `look` for this expression and those in it.
    pub fn each(&self, look: &mut dyn FnMut(&Expr)) {
        look(self);
        match self {
            Expr::Unary(_, a) | Expr::Whole(_, a, _) => a.each(look),
            Expr::Binary(_, a, b) => {
                a.each(look);
                b.each(look);
            }
            Expr::Choose(when, a, b) => {
                when.each(look);
                a.each(look);
                b.each(look);
            }
            Expr::Number(_)
            | Expr::Load(_)
            | Expr::Input(..)
            | Expr::Local(_)
            | Expr::Scalar(_)
            | Expr::Coordinate(_) => {}
        }
    }
}

impl Cond {
    fn each(&self, look: &mut dyn FnMut(&Expr)) {
        match self {
            Cond::Less(a, b) | Cond::Equal(a, b) => {
                a.each(look);
                b.each(look);
            }
            Cond::Not(a) => a.each(look),
            Cond::And(a, b) | Cond::Or(a, b) => {
                a.each(look);
                b.each(look);
            }
            Cond::Inside(_) | Cond::Before(_) | Cond::Even { .. } | Cond::Mask(..) => {}
        }
    }
}

fn in_expr(expr: &mut Expr, change: &mut dyn FnMut(&mut Expr)) {
    change(expr);
    match expr {
        Expr::Unary(_, a) | Expr::Whole(_, a, _) => in_expr(a, change),
        Expr::Binary(_, a, b) => {
            in_expr(a, change);
            in_expr(b, change);
        }
        Expr::Choose(when, a, b) => {
            in_cond(when, change);
            in_expr(a, change);
            in_expr(b, change);
        }
        _ => {}
    }
}

fn in_cond(cond: &mut Cond, change: &mut dyn FnMut(&mut Expr)) {
    match cond {
        Cond::Less(a, b) | Cond::Equal(a, b) => {
            in_expr(a, change);
            in_expr(b, change);
        }
        Cond::Not(a) => in_cond(a, change),
        Cond::And(a, b) | Cond::Or(a, b) => {
            in_cond(a, change);
            in_cond(b, change);
        }
        Cond::Inside(_) | Cond::Before(_) | Cond::Even { .. } | Cond::Mask(..) => {}
    }
}

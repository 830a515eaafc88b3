// Package shapes has shapes to measure.
package shapes

import "math"

// A Shape has an area.
type Shape interface{ Area() float64 }

// A Circle is round.
type Circle struct{ r float64 }

// NewCircle returns a circle of radius r.
func NewCircle(r int) *Circle { return &Circle{float64(r)} }

// Area is π r².
func (c *Circle) Area() float64 { return math.Pi * c.r * c.r }

// A Square is not.
type Square struct{ side float64 }

// NewSquare returns a square.
func NewSquare(side int) *Square { return &Square{float64(side)} }

// Area is the square of the side.
func (s *Square) Area() float64 { return s.side * s.side }

// Raytracer (for the paper's _227_mtrt) renders spheres above a plane, on two
// goroutines, with gonum's vectors.
package main

import (
	"fmt"
	"hash/crc32"
	"math"
	"sync"

	"gonum.org/v1/gonum/spatial/r3"
)

// A ray starts at a point and has a direction of length 1.
type ray struct{ from, dir r3.Vec }

// A hit is where a ray meets a surface.
type hit struct {
	distance float64
	at       r3.Vec
	normal   r3.Vec
	surface  *surface
}

// A surface is how a shape looks.
type surface struct {
	colour     r3.Vec
	reflection float64
}

// A shape is what can be hit.
type shape interface {
	hit(r ray) (hit, bool)
}

type sphere struct {
	centre  r3.Vec
	radius  float64
	surface surface
}

func (s *sphere) hit(r ray) (hit, bool) {
	to := r3.Sub(s.centre, r.from)
	along := r3.Dot(to, r.dir)
	off := r3.Dot(to, to) - along*along
	if off > s.radius*s.radius {
		return hit{}, false
	}
	d := along - math.Sqrt(s.radius*s.radius-off)
	if d < 1e-6 {
		return hit{}, false
	}
	at := r3.Add(r.from, r3.Scale(d, r.dir))
	return hit{d, at, r3.Unit(r3.Sub(at, s.centre)), &s.surface}, true
}

// A plane is a floor of squares.
type plane struct {
	height      float64
	light, dark surface
}

func (p *plane) hit(r ray) (hit, bool) {
	if r.dir.Y > -1e-6 {
		return hit{}, false
	}
	d := (p.height - r.from.Y) / r.dir.Y
	at := r3.Add(r.from, r3.Scale(d, r.dir))
	s := &p.light
	if (int(math.Floor(at.X))+int(math.Floor(at.Z)))&1 == 0 {
		s = &p.dark
	}
	return hit{d, at, r3.Vec{Y: 1}, s}, d > 1e-6
}

// A scene is what is rendered.
type scene struct {
	shapes []shape
	lights []r3.Vec
}

func (s *scene) nearest(r ray) (best hit, found bool) {
	for _, shape := range s.shapes {
		if h, ok := shape.hit(r); ok && (!found || h.distance < best.distance) {
			best, found = h, true
		}
	}
	return best, found
}

// trace returns the colour that is seen along r.
func (s *scene) trace(r ray, depth int) r3.Vec {
	h, ok := s.nearest(r)
	if !ok {
		return r3.Scale(0.5+0.5*r.dir.Y, r3.Vec{X: 0.4, Y: 0.6, Z: 1})
	}
	light := 0.1
	for _, l := range s.lights {
		to := r3.Sub(l, h.at)
		shadow, ok := s.nearest(ray{r3.Add(h.at, r3.Scale(1e-4, h.normal)), r3.Unit(to)})
		if !ok || shadow.distance > r3.Norm(to) {
			light += 0.6 * max(0, r3.Dot(h.normal, r3.Unit(to)))
		}
	}
	colour := r3.Scale(light, h.surface.colour)
	if h.surface.reflection > 0 && depth > 0 {
		mirrored := r3.Sub(r.dir, r3.Scale(2*r3.Dot(r.dir, h.normal), h.normal))
		seen := s.trace(ray{r3.Add(h.at, r3.Scale(1e-4, h.normal)), mirrored}, depth-1)
		colour = r3.Add(r3.Scale(1-h.surface.reflection, colour), r3.Scale(h.surface.reflection, seen))
	}
	return colour
}

const width, height = 1280, 960

func main() {
	s := &scene{lights: []r3.Vec{{X: -5, Y: 8, Z: -5}, {X: 6, Y: 5, Z: -3}}}
	s.shapes = append(s.shapes, &plane{-1, surface{r3.Vec{X: 1, Y: 1, Z: 1}, 0.2}, surface{r3.Vec{X: 0.1, Y: 0.1, Z: 0.1}, 0.3}})
	for i := range 32 {
		a := float64(i) * 0.7
		s.shapes = append(s.shapes, &sphere{
			r3.Vec{X: 3 * math.Cos(a), Y: -0.7 + 0.1*float64(i), Z: 5 + 3*math.Sin(a)}, 0.5,
			surface{r3.Vec{X: 0.5 + 0.5*math.Sin(a), Y: 0.5 + 0.5*math.Cos(a), Z: 0.7}, 0.3},
		})
	}
	image := make([]byte, 3*width*height)
	var both sync.WaitGroup
	for half := range 2 {
		both.Add(1)
		go func() {
			defer both.Done()
			for y := half * height / 2; y < (half+1)*height/2; y++ {
				s.row(image[3*width*y:3*width*(y+1)], y)
			}
		}()
	}
	both.Wait()
	fmt.Printf("raytracer %08x\n", crc32.ChecksumIEEE(image))
}

// row renders one line of the picture.
func (s *scene) row(pixels []byte, y int) {
	for x := range width {
		dir := r3.Unit(r3.Vec{X: float64(x-width/2) / width, Y: float64(height/2-y) / width, Z: 1})
		c := s.trace(ray{r3.Vec{Y: 1, Z: -4}, dir}, 4)
		for i, v := range []float64{c.X, c.Y, c.Z} {
			pixels[3*x+i] = byte(255 * min(1, max(0, v)))
		}
	}
}
